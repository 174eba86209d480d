"""approval_request: how those who are asked hear of it, and what is said when they do not."""

from typing import Any

import pytest

from cpq import approval_request
from cpq.approvals import links
from tests.deployment import TENANT, ClientContext, Context, Deployment
from tests.inbox import Inbox
from tests.integration.cpq.approving import (
    KEY,
    PAGE,
    ask,
    asked,
    priced,
    status,
    variables,
)
from tests.integration.cpq.drafts import rows

pytestmark = pytest.mark.usefixtures("served")

STARTER = ("prod_starter", 5)


def test_each_approver_of_the_role_gets_a_link_of_their_own(deployment: Deployment, inbox: Inbox) -> None:
    request = asked(priced(deployment))
    first, second = inbox.links()
    assert first != second
    for link in (first, second):
        claim = links.read(KEY.encode(), link.removeprefix(f"{PAGE}/"))
        assert claim is not None
        assert (claim.tenant, claim.request_id) == ("acme", request["id"])
    stored = rows(
        deployment, "SELECT token_hash, approver_id FROM cpq.approval_links WHERE request_id = %s", request["id"]
    )
    assert {bytes(row["token_hash"]) for row in stored} == {
        links.hash_of(link.rpartition("/")[2]) for link in (first, second)
    }
    assert {row["approver_id"] for row in stored} == {"apr_john_smith", "apr_amara_diallo"}
    message = inbox.mail[0]
    assert message["Subject"] == f"Approval {request['id']}: {request['quote_id']}, Acme Corp"
    assert "Justification as the agent gives it, unchecked: A customer for two years." in message["Message"]
    assert KEY not in message["Message"]


@pytest.mark.parametrize("subject", ["apr_john_smith", "John.Smith@quarry.example"])
def test_an_approver_who_asks_gets_no_link(deployment: Deployment, inbox: Inbox, subject: str) -> None:
    context = Context(ClientContext({"tenant": TENANT, "subject": subject}))
    event = {"quote_id": priced(deployment), "justification": "Mine."}
    answer = approval_request.handler(event, context)
    [link] = inbox.links()
    stored = rows(
        deployment,
        "SELECT token_hash, approver_id FROM cpq.approval_links WHERE request_id = %s",
        answer["approval_request"]["id"],
    )
    assert [row["approver_id"] for row in stored] == ["apr_amara_diallo"]
    assert bytes(stored[0]["token_hash"]) == links.hash_of(link.rpartition("/")[2])


def test_an_approver_who_is_listed_twice_is_sent_one_message_that_names_who_asks(
    deployment: Deployment, inbox: Inbox
) -> None:
    rows(
        deployment,
        """INSERT INTO cpq.approvers (tenant, id, role, name, email)
           SELECT tenant, id || '_too', role, name, upper(email) FROM cpq.approvers
           WHERE id = 'apr_john_smith' RETURNING id""",
    )
    rows(
        deployment,
        "INSERT INTO quarry.api_keys (tenant, id, subject, name, secret_sha256, scopes) "
        "VALUES ('acme', 'aaaabbbbcccc', 'key:anna', 'Anna', sha256('a'), '{cpq:write}') RETURNING id",
    )
    context = Context(ClientContext({"tenant": TENANT, "subject": "key:anna"}))
    approval_request.handler({"quote_id": priced(deployment), "justification": "Theirs."}, context)
    assert len(inbox.mail) == 2
    assert "Anna (key:anna) asks for approval" in inbox.mail[0]["Message"]
    rows(deployment, "DELETE FROM cpq.approvers WHERE id = 'apr_john_smith_too' RETURNING id")


def test_a_topic_that_is_down_does_not_lose_the_request(
    deployment: Deployment, inbox: Inbox, aws_variables: dict[str, str]
) -> None:
    down = variables(inbox, {**aws_variables, "AWS_ENDPOINT_URL_SNS": "http://127.0.0.1:9"})
    quote_id = priced(deployment)
    with deployment.serving("quarry_write", **down):
        answer = ask(quote_id)
    assert answer["notification_sent"] is False
    assert answer["notification_problem"] == (
        "2 of 2 messages were not sent (SNS: EndpointConnectionError); they are tried again."
    )
    with deployment.serving("quarry_write", **variables(inbox, aws_variables)):
        assert [item["id"] for item in status(quote_id)["pending_requests"]] == [answer["approval_request"]["id"]]


def test_without_a_key_no_link_is_sent_and_the_answer_says_what_to_set(
    deployment: Deployment, inbox: Inbox, aws_variables: dict[str, str]
) -> None:
    with deployment.serving("quarry_write", **variables(inbox, aws_variables, APPROVAL_KEY="short")):
        answer = ask(priced(deployment))
    assert answer["notification_sent"] is False
    assert "APPROVAL_KEY_SECRET_ID" in answer["notification_problem"]
    assert inbox.mail == []


def test_slack_is_told_in_the_channel_without_a_link_and_people_with_theirs(
    deployment: Deployment, inbox: Inbox, aws_variables: dict[str, str]
) -> None:
    slack = variables(inbox, aws_variables, SLACK_BOT_TOKEN="xoxb-1", SLACK_CHANNEL="#deal-desk")
    account = {"name": "<!channel> & Sons"}
    with_slack_id(deployment, "apr_john_smith", "U0JOHN")
    with deployment.serving("quarry_write", **slack):
        quote_id = priced(deployment)
        rename(deployment, quote_id, **account)
        answer = ask(quote_id)
    with_slack_id(deployment, "apr_john_smith", None)
    posts = {body["channel"]: body["text"] for _, body in inbox.slack}
    assert {token for token, _ in inbox.slack} == {"Bearer xoxb-1"}
    assert posts.keys() == {"#deal-desk", "U0JOHN"}
    assert "http" not in posts["#deal-desk"]
    assert PAGE in posts["U0JOHN"]
    assert "&lt;!channel&gt; &amp; Sons" in posts["#deal-desk"]
    assert answer["slack_channel"] == "#deal-desk"
    assert answer["slack_message_ts"].startswith("1700000000.")


@pytest.mark.parametrize(
    ("says", "reason"),
    [
        ((200, {"ok": False, "error": "channel_not_found"}), "Slack: channel_not_found"),
        ((503, {}), "Slack: HTTP 503"),
    ],
)
def test_slack_that_refuses_is_reported_and_mail_still_goes_out(
    deployment: Deployment, inbox: Inbox, aws_variables: dict[str, str], says: tuple[int, dict[str, Any]], reason: str
) -> None:
    inbox.slack_says = says
    slack = variables(inbox, aws_variables, SLACK_BOT_TOKEN="xoxb-1", SLACK_CHANNEL="#deal-desk")
    with deployment.serving("quarry_write", **slack):
        answer = ask(priced(deployment))
    assert (answer["notification_sent"], answer["slack_message_ts"]) == (True, None)
    assert reason in answer["notification_problem"]
    assert len(inbox.mail) == 2


def with_slack_id(deployment: Deployment, approver: str, slack_id: str | None) -> None:
    deployment.rows(
        "UPDATE cpq.approvers SET slack_user_id = %(slack)s WHERE id = %(id)s", {"slack": slack_id, "id": approver}
    )


def rename(deployment: Deployment, quote_id: str, *, name: str) -> None:
    rows(
        deployment,
        "UPDATE cpq.quote_versions SET account = jsonb_set(account, '{name}', to_jsonb(%s::text)) "
        "WHERE quote_id = %s RETURNING 1 AS done",
        name,
        quote_id,
    )
