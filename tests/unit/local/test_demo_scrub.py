"""What leaves a copied block before another customer reads it."""

from local.demo.scrub import scrub

OWN = "Meadowbrook Foods (example)"


def test_the_source_customer_is_removed_in_full_in_part_and_in_capitals() -> None:
    text = "For Brightwater Packaging, Inc.: BRIGHTWATER to provide crane. Brightwater Packaging owns pad."
    clean = scrub(text, source="Brightwater Packaging, Inc.", others=[], own=OWN)
    assert clean.text == "For [NAME REMOVED]: [NAME REMOVED] to provide crane. [NAME REMOVED] owns pad."
    assert clean.names == ("Brightwater Packaging, Inc.", "Brightwater Packaging", "BRIGHTWATER")


def test_a_name_of_digits_and_letters_is_removed_but_not_inside_a_model() -> None:
    clean = scrub("4M to pipe. Model 4M30 unit.", source="4M Industries", others=[], own=OWN)
    assert clean.text == "[NAME REMOVED] to pipe. Model 4M30 unit."


def test_another_customer_met_in_the_search_is_removed_by_full_name() -> None:
    clean = scrub("same as Henry Ford job", source="Elm Co", others=["Henry Ford"], own=OWN)
    assert clean.text == "same as [NAME REMOVED] job"


def test_ordinary_words_of_a_customers_name_stay() -> None:
    text = "Air cooled unit, precision ground rotors, for Precision Stamping."
    clean = scrub(text, source="Precision Stamping LLC", others=["Air Quality Partners"], own=OWN)
    assert clean.text == "Air cooled unit, precision ground rotors, for [NAME REMOVED]."


def test_the_addressees_own_name_stays() -> None:
    clean = scrub("Meadowbrook Foods plant 2", source="Meadowbrook Foods, Inc.", others=[], own=OWN)
    assert (clean.text, clean.names) == ("Meadowbrook Foods plant 2", ())


def test_old_prices_leave_and_a_dollar_sign_in_a_model_stays() -> None:
    clean = scrub("Q$ync 100 with panel, add $1,250.00 or $ 900.", source="Elm Co", others=[], own=OWN)
    assert clean.text == "Q$ync 100 with panel, add $[PRICE] or $[PRICE]."
    assert clean.prices == ("$1,250.00", "$ 900")


def test_contact_details_are_reported_and_left_for_a_person() -> None:
    clean = scrub("Attn. J. Roe, roe@elm.example, 616-555-0144", source="Elm Co", others=[], own=OWN)
    assert clean.contacts == ("Attn.", "roe@elm.example", "616-555-0144")
    assert clean.text.startswith("Attn. J. Roe")


def test_a_one_word_customer_is_not_confused_with_the_ordinary_word() -> None:
    clean = scrub("Standard unit with elm skid, for Elm.", source="Elm Co", others=["Standard Corp"], own=OWN)
    assert clean.text == "Standard unit with elm skid, for [NAME REMOVED]."
