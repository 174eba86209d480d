"""The pricing engine of quotes: values in, values out; it knows no database, clock or tool."""
