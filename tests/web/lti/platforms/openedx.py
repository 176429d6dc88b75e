"""Open edX as a platform: its consumer makes and checks every message, and its serializers read and write what services
exchange. The addresses are ours, and what stands around a list of people, where Open edX has a type of its own."""

import json

import django
from django.conf import settings
from lms import Lms, Refused, serve

settings.configure(
    PLATFORM_NAME="Open edX",
    SECRET_KEY="tests",
    LMS_ROOT_URL="http://127.0.0.1",
    USE_TZ=True,
    CACHES={"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}},
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "lti_consumer"],
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
)
django.setup()

# ruff: noqa: E402  # Django has to be set up first
from django.utils.dateparse import parse_datetime
from lti_consumer.data import Lti1p3LaunchData
from lti_consumer.lti_1p3.consumer import LtiAdvantageConsumer
from lti_consumer.lti_1p3.extensions.rest_framework.serializers import (
    LtiAgsLineItemSerializer,
    LtiAgsScoreSerializer,
    LtiNrpsContextMemberPIISerializer,
)
from lti_consumer.models import LtiAgsScore

AGS, NRPS = "https://purl.imsglobal.org/spec/lti-ags/scope/", "https://purl.imsglobal.org/spec/lti-nrps/scope/"


class OpenEdx(Lms):
    def consumer(self):
        tool = self.known["tool"]
        made = LtiAdvantageConsumer(
            iss=self.address,
            lti_oidc_url=f"{tool}/lti/login",
            lti_launch_url=f"{tool}/lti/launch",
            client_id="quadrille",
            deployment_id="1",
            rsa_key=self.known["key"],
            rsa_key_id="open-edx",
            redirect_uris=[f"{tool}/lti/launch"],
            tool_keyset_url=f"{tool}/lti/keys",
        )
        made.enable_ags(f"{self.address}/items", allow_programmatic_grade_interaction=True)
        made.enable_nrps(f"{self.address}/members")
        made.enable_deep_linking(f"{tool}/lti/choose", f"{self.address}/chosen")
        return made

    def preflight(self, member, deep, assignment):
        self.asking = member, assignment
        launch = Lti1p3LaunchData(
            user_id=member["id"],
            user_role=member["role"],
            config_id="1",
            resource_link_id="link-1",
            message_type="LtiDeepLinkingRequest" if deep else "LtiResourceLinkRequest",
        )
        return self.consumer().prepare_preflight_url(launch)

    def launch(self, asked):
        member, assignment = self.member(asked["login_hint"]), self.asking[1]
        consumer = self.consumer()
        consumer.set_user_data(member["id"], member["role"], member["name"], member["email"], member["username"])
        consumer.set_resource_link_claim("link-1")
        consumer.set_context_claim("course-v1:Example", context_title="Foundations in Open edX")
        consumer.set_launch_presentation_claim("iframe")
        if assignment:
            consumer.set_custom_parameters({"assignment": assignment})
        return asked["redirect_uri"], consumer.generate_launch_request(asked)

    def keys(self):
        return self.consumer().get_public_keyset()

    def token(self, form):
        return self.consumer().access_token(form)

    def chosen(self, token):
        return self.consumer().check_and_decode_deep_linking_token(token)

    def service(self, method, path, query, body, headers):
        kind, _, token = headers.get("Authorization", "").partition(" ")
        needed = f"{NRPS}contextmembership.readonly" if path == "/members" else f"{AGS}lineitem"
        if kind != "Bearer" or not self.consumer().check_token(
            token, [needed, f"{AGS}score"][: 1 if path == "/members" else 2]
        ):
            raise Refused(401, "no valid token")
        if path == "/members":
            return 200, "application/vnd.ims.lti-nrps.v2.membershipcontainer+json", json.dumps(self.members())
        if path == "/items" and method == "GET":
            return 200, "application/json", json.dumps(self.known["items"])
        if path == "/items":
            return self.new_item(json.loads(body))
        return self.new_score(int(path.split("/")[2]), json.loads(body))

    def members(self):
        people = [
            {"external_id": each["id"], "roles": [each["role"]], "name": each["name"], "email": each["email"]}
            for each in self.known["members"]
        ]
        listed = LtiNrpsContextMemberPIISerializer(people, many=True).data
        members = [{**each, "roles": sorted(each["roles"])} for each in listed]
        return {"id": f"{self.address}/members", "context": {"id": "course-v1:Example"}, "members": members}

    def new_item(self, given):
        read = LtiAgsLineItemSerializer(data=given)
        if not read.is_valid():
            raise Refused(400, json.dumps(read.errors))
        made = {**given, "id": f"{self.address}/items/{len(self.known['items'])}"}
        self.known["items"].append(made)
        self.keep()
        return 201, "application/vnd.ims.lis.v2.lineitem+json", json.dumps(made)

    def new_score(self, item, given):
        former = [
            each for each in self.known["scores"] if (each["item"], each["userId"]) == (item, given.get("userId"))
        ]
        known = LtiAgsScore(timestamp=parse_datetime(former[-1]["timestamp"])) if former else None
        read = LtiAgsScoreSerializer(known, data=given)
        if not read.is_valid():
            raise Refused(400, json.dumps(read.errors))
        self.known["scores"].append({**given, "item": item})
        self.keep()
        return 201, "application/vnd.ims.lis.v1.score+json", json.dumps(given)


if __name__ == "__main__":
    serve(OpenEdx)
