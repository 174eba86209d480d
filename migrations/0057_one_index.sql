-- The index that 0056 made does all that this one did; see there.
DROP INDEX search.attribute_values_filters;
