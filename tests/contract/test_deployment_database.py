"""template.yaml's database when another instance takes its place: a restored one, or one that CloudFormation made."""

from tests.contract.template import FUNCTIONS, RESOURCES, ROLES, TEMPLATE, references, statements

IDENTITY = {
    "Fn::If": ["IsRestored", {"Ref": "RestoredResourceId"}, {"Fn::GetAtt": ["Database", "DbiResourceId"]}],
}
OWN_SECRET = {"Fn::GetAtt": ["Database", "MasterUserSecret.SecretArn"]}


def test_whatever_names_the_database_names_the_restored_one_in_its_place() -> None:
    """A restored instance has another resource id and no secret of the one whose name it takes over."""
    connects = [
        statement["Resource"]["Fn::Sub"][1]
        for role in ROLES.values()
        for statement in statements(role)
        if statement["Action"] == "rds-db:connect"
    ]
    assert connects
    assert [names for names in connects if names != {"Id": IDENTITY}] == []
    variables = [function.get("Environment", {}).get("Variables", {}) for function in FUNCTIONS.values()]
    secrets = [each["DB_SECRET_ID"] for each in variables if "DB_SECRET_ID" in each]
    (read,) = [
        statement["Resource"]
        for statement in statements(ROLES["MigrationRole"])
        if statement["Action"] == "secretsmanager:GetSecretValue"
    ]
    assert secrets
    restored = {"Fn::If": ["IsRestored", {"Ref": "RestoredSecret"}, OWN_SECRET]}
    assert [each for each in secrets if each != restored] == []
    condition, other, own = read["Fn::If"]
    assert (condition, "RestoredSecret" in references(other), own) == ("IsRestored", True, OWN_SECRET)


def test_an_instance_in_anothers_place_is_migrated() -> None:
    """CloudFormation asks a custom resource again when one of its properties has changed, and never otherwise."""
    assert RESOURCES["Migrations"]["Properties"]["Database"] == IDENTITY


def test_the_databases_logs_lie_in_no_group_that_nobody_declares() -> None:
    assert "EnableCloudwatchLogsExports" not in RESOURCES["Database"]["Properties"]
    assert RESOURCES["DatabaseParameters"]["Properties"]["Parameters"]["rds.log_retention_period"] == "10080"


def test_the_database_proves_who_it_is() -> None:
    variables = TEMPLATE["Globals"]["Function"]["Environment"]["Variables"]
    assert variables["DB_SSLMODE"] == "verify-full"
    assert RESOURCES["DatabaseParameters"]["Properties"]["Parameters"]["rds.force_ssl"] == "1"


def test_another_major_version_of_postgres_is_a_parameter() -> None:
    properties = RESOURCES["Database"]["Properties"]
    assert (properties["EngineVersion"], properties["AllowMajorVersionUpgrade"]) == ({"Ref": "PostgresVersion"}, True)
    assert RESOURCES["DatabaseParameters"]["Properties"]["Family"] == {"Fn::Sub": "postgres${PostgresVersion}"}
