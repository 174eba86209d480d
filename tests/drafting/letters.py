"""The good drafts: letters as salespeople of the sample house would write them."""

from decimal import Decimal

from tests.drafting.composing import Drafted, Item, Letter, write

LETTERS = (
    Letter(
        name="one oilless scroll for food",
        customer="Meadowbrook Foods",
        request="We need a 100HP oilless compressor for our food-grade plant in Elkhart, about 300 cfm at 110 psi, "
        "460 V three phase. One machine. What would you propose?",
        project="an oilless compressor for the food-grade plant",
        requirements="100 HP, oilless, about 300 cfm at 110 psi, 460 V three phase",
        items=[
            Item(
                model="SEHX10008-100",
                copied=("Q24-0109", 1, ""),
                prose="At 116 psi the package delivers 308 cfm, which covers the 300 cfm you asked for. "
                "It runs on 460/3/60 and needs no oil anywhere.",
            )
        ],
        opening="You asked for one machine for your plant in Elkhart; here it is.",
    ),
    Letter(
        name="screw, dryer and receiver",
        customer="Kessler Stampings",
        request="Please quote a 100 hp lubricated screw compressor, 125 psi, a refrigerated dryer to match and a "
        "receiver of about 1000 gallons. Two of the dryers, please, one for each header.",
        project="a compressor station",
        requirements="100 hp lubricated screw at 125 psi, two refrigerated dryers, about 1000 gallons of storage",
        items=[
            Item(model="QGV-100", copied=("Q23-0357", 1, "Screw machine, lubricated, 100 hp, 450 cfm @ 125. Picked because "
                 "the part load figures beat the others we ran. Please keep three feet free at the filter side and four at "
                 "the drive, the door swings left.")),
            Item(model="QPNC-500", quantity=2, copied=("Q25-0745", 2, "Refrigerated drier QPNC-500, 500 scfm. Dew point in "
                 "the high thirties and one plug or one disconnect.")),
            Item(model="VR-1060", copied=("Q24-0175", 3, "Receiver, 1060 gal., shop primed, papers for the inspector "
                 "inlcuded. Paint is gray, other colors plus 3%."),
                 prose="The vessel holds 1060 gallons, a little more than the 1000 gallons you named."),
        ],
        closing="Both dryers together take 1000 scfm, so either header may be serviced while the other runs.",
    ),
    Letter(
        name="priced oil-free screws",
        customer="Harbor Lane Packaging",
        request="We want two oil-free screw compressors of 100 HP, 400 cfm or more at 120 psig. Air cooled. Please price.",
        project="two oil-free screw compressors",
        requirements="two oil-free screws of 100 HP, 400 cfm or more at 120 psig, air cooled",
        items=[
            Item(model="ZT75", quantity=2, price=Decimal("118450.00"), copied=("Q25-0404", 1, "100 HP oil-free dry screw, "
                 "two stage, 417 cfm at 125 psig. Lubricant stays in the gear case behind vented seals.")),
            Item(heading="START-UP SERVICE", price=Decimal("2350.00"), copied=("Q25-0404", 4, "Commissioning in normal "
                 "hours. Weekdays seven to three. Fluids for the start are on the skid.")),
        ],
    ),
    Letter(
        name="metric, German customer",
        customer="Nordheim Verpackungen GmbH",
        request="Wir suchen einen Schraubenkompressor mit 30 kW, etwa 5 m³/min bei 8 bar, dazu einen Kältetrockner und "
        "einen Behälter mit 1000 Litern. Bitte um Ihr Angebot.",
        project="eine Druckluftstation mit 30 kW",
        requirements="30 kW, etwa 5 m³/min bei 8 bar, Kältetrockner, Behälter mit 1000 Litern",
        units="metric",
        items=[
            Item(model="BRK-400V", copied=("Q18-0318", 1, "Schraubenkompressor 30 kW, öleingespritzter, Volumenstrom "
                 "5,2 m³/min. Schalldruckpegel 66 dB(A)."),
                 prose="Bei 8 bar liefert die Maschine etwas mehr als die angefragten 5 m³/min."),
            Item(model="BRT-50", copied=("Q18-0318", 2, "Kältetrockner BRT-50, 5 m³/min, Drucktaupunkt +3 °C.")),
            Item(model="BRB-1000", copied=("Q18-0318", 3, "Druckluftbehälter 1000 Liter, 11 bar, Typ BRB-1000, mit "
                 "Sicherheitsventil.")),
        ],
        opening="Vielen Dank für Ihre Anfrage. Wir bieten Ihnen eine Maschine mit 30 kW und einen Behälter mit 1000 Litern an.",
    ),
    Letter(
        name="vacuum with installation",
        customer="Rockford Cabinet Works",
        request="Two 10 HP dry claw vacuum pumps for CNC routers, around 180 cfm each, oil-free, please install them.",
        project="vacuum for two CNC routers",
        requirements="two dry claw pumps of 10 HP, around 180 cfm each, installed",
        items=[
            Item(model="MM 1322 AV", quantity=2, copied=("Q19-0836", 1, "No exhaust haze, no vane kits. Chips and dust must "
                 "stay out, one screw in the claws is the end, hence the inlet filter line. Runs at any level between "
                 "atmosphere and end vacuum, no minimum like with liquid."),
                 prose="Each pump is rated 180 cfm and has a 10 HP motor. Both are dry and oil-free in the chamber."),
        ],
        installation=("Q25-0665", 5, "Power by others, we land the leads. Two days, three if it rains."),
    ),
    Letter(
        name="blowers for a treatment plant",
        customer="Village of Marlow",
        request="Three positive displacement blowers, 20 HP, 400 cfm at 8 psi, oil-free air for aeration.",
        project="aeration blowers",
        requirements="three blowers of 20 HP, 400 cfm at 8 psi, oil-free air",
        items=[
            Item(model="URAI-56", quantity=3, copied=("Q26-0601", 1, "420 acfm at 8 PSIG is the nameplate, at your depth a "
                 "bit more air and less amps. Discharge gets hot, 190 F in July; first six feet in steel.")),
        ],
        closing="The nameplate of 420 cfm is above the 400 cfm that you need.",
    ),
    Letter(
        name="priced small screw with receiver",
        customer="Danville Tool Co.",
        request="A 30 hp screw compressor, 125 psi, around 125 cfm, with a 400 gallon receiver. 460 volts.",
        project="a 30 hp screw compressor with receiver",
        requirements="30 hp, 125 psi, around 125 cfm, 400 gallon receiver, 460 volts",
        contact="Ruth Adler",
        items=[
            Item(model="QMB30", price=Decimal("21480.00"), copied=("Q26-0332", 1, "It delivers 129 cfm at 125 psig, measured "
                 "at the flange and not at the airend. Separator element and two filters for the first change lie in a box "
                 "on the skid.")),
            Item(model="VR-400", price=Decimal("3625.00"), copied=("Q22-0710", 2, "400 gallon, dry side. Furnished w/ ASME "
                 "relief valve, gauge with isolation cock and an electronic demand drain, loose for field installation.")),
        ],
        opening="With 129 cfm at 125 psi the QMB30 is just above what you asked for. It weighs 1185 lb and runs at 72 dBA.",
    ),
    Letter(
        name="no words of the archive",
        customer="Oakfield Hospital",
        request="One 50 HP variable speed compressor, 460/3/60, about 220 cfm at 125 psi.",
        project="a variable speed compressor",
        requirements="50 HP, variable speed, 460/3/60, about 220 cfm at 125 psi",
        items=[
            Item(model="QGV-50", prose="The QGV-50 follows your demand by a VFD. Its capacity is 227 cfm at 125 psi, which "
                 "meets the 220 cfm you named. Please allow for a weight of 2240 lb on the floor."),
        ],
    ),
    Letter(
        name="two options side by side",
        customer="Pioneer Beverage",
        request="100 HP oil-free or oilless for a bottling line. We do not know which. 300 cfm at least, 110 psi.",
        project="air for a bottling line",
        requirements="100 HP, oil-free or oilless, 300 cfm at least, 110 psi",
        items=[
            Item(model="ZT75", copied=("Q23-0772", 1, "Element exchange is at 40,000 hours and can be done in place with a one "
                 "ton chain fall. Material certs go with the crate, copies by mail.")),
            Item(model="SEHX10008-100", copied=("Q25-0724", 1, "Oil-less scroll package, 100 horsepower in all. Pumps start one "
                 "by one so the feeder hardly sees them.")),
        ],
        opening="We offer two machines to choose from.\n\n| | ZT75 | SEHX10008-100 |\n|---|---|---|\n| Capacity | 417 CFM | "
        "308 CFM |\n| Pressure | 125 PSIG | 116 PSIG |\n| Sound | 76 dBA | 74 dBA |",
    ),
    Letter(
        name="dryer and filter with start-up, metric and English",
        customer="Lindholm Brewing AB",
        request="We need a refrigerated dryer for 18 m³/min with a dew point of +3 °C, and a start-up by your technician.",
        project="a refrigerated dryer for 18 m³/min",
        requirements="18 m³/min, dew point +3 °C, start-up",
        units="metric",
        items=[
            Item(model="BRT-180", copied=("Q22-0660", 2, "Refrigerated, 18 m3/min at 35 °C inlet, +3 °C. Correction factor used "
                 "0.84 for inlet and room together.")),
            Item(heading="START-UP SERVICE", copied=("Q25-0292", 4, "Start-up by our technician, one trip. Dew point read with "
                 "our meter.")),
        ],
    ),
    Letter(
        name="priced blowers for plating",
        customer="Tri-County Plating",
        request="Two regenerative blowers, 25 hp each, oil-less, for tank agitation. 540 cfm at 7 psi.",
        project="agitation air",
        requirements="two regenerative blowers of 25 hp, oil-less, 540 cfm at 7 psi",
        items=[
            Item(model="RB-2200T", quantity=2, price=Decimal("7125.50"), copied=("Q18-0714", 1, "Check valve is a flap, listen "
                 "for it at stop.")),
        ],
        closing="Each blower gives 540 cfm, so the two come to what your tanks need.",
    ),
    Letter(
        name="repeat customer with his own words",
        customer="Cornerstone Corrugated",
        request="Same again as in 2024, please: the QGV-100 with the QPNC-500 dryer. And put it in like the last time.",
        project="a second compressor and dryer",
        requirements="the QGV-100 with the QPNC-500 dryer, installed as in 2024",
        contact="Phil Zeller",
        items=[
            Item(model="QGV-100", copied=("Q24-0175", 1, "QGV-100: 100 HP, lubricated. Same footprint as what stands there "
                 "now give or take four inches.")),
            Item(model="QPNC-500", copied=("Q25-0745", 2, "Refrigerated drier QPNC-500, 500 scfm. Dew point in the high "
                 "thirties and one plug or one disconnect. Weld slag: keep away from the cable trays.")),
        ],
        installation=("Q24-0175", 6, ""),
    ),
    Letter(
        name="prices in euros",
        customer="Rheinau Kunststoff GmbH",
        request="Bitte bieten Sie zwei Kältetrockner BRT-50 und einen Behälter BRB-1000 an, geliefert nach Kehl.",
        project="zwei Kältetrockner und einen Behälter",
        requirements="zwei Kältetrockner BRT-50, ein Behälter BRB-1000",
        units="metric",
        currency="EUR",
        items=[
            Item(model="BRT-50", quantity=2, price=Decimal("2815.00"), copied=("Q18-0318", 2, "Die vorhandene Rohrleitung DN 50 "
                 "reicht aus. Abluft im Winter in die Halle, im Sommer ins Freie.")),
            Item(model="BRB-1000", price=Decimal("1940.00"), copied=("Q18-0318", 3, "CE-Erklärung und Handbuch in deutscher "
                 "Sprache.")),
        ],
    ),
    Letter(
        name="vague request, one small dryer",
        customer="Elm Street Dental",
        request="Our air is wet. We have a scroll of about 60 cfm. Can you help? Budget around $9,000.",
        project="dry air",
        requirements="dry air behind a scroll of about 60 cfm",
        items=[
            Item(model="QPNC-250", copied=("Q24-0590", 2, "Refrigerated dryer 250 with 1 micron after filter since there's no "
                 "oil, coalescer isn't needed.")),
        ],
        opening="You wrote that your air is wet. Your scroll gives about 60 cfm, and this dryer takes 250 scfm with ease.",
    ),
)  # fmt: skip


def drafts() -> list[Drafted]:
    return [write(letter) for letter in LETTERS]
