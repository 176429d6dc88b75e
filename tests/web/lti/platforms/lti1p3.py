"""The library `lti1p3platform` as a platform: it makes every message, hands out tokens, and answers for the services.
What it leaves to its users, who is in the course and what is in the gradebook, is ours."""

import json

from cryptography.hazmat.primitives import serialization
from lms import Lms, Refused, serve
from lti1p3platform.exceptions import LtiException
from lti1p3platform.ltiplatform import LTI1P3PlatformConfAbstract
from lti1p3platform.membership import Context
from lti1p3platform.message_launch import LTIAdvantageMessageLaunchAbstract
from lti1p3platform.oidc_login import OIDCLoginAbstract
from lti1p3platform.registration import Registration
from lti1p3platform.request import Request
from lti1p3platform.response import generate_next_link
from lti1p3platform.score import UpdateScoreStatus
from lti1p3platform.service_connector import AssignmentsGradesService, NamesRoleProvisioningService

ROLES = "http://purl.imsglobal.org/vocab/lis/v2/membership#"


class Asked(Request):
    def build_metadata(self, request):
        method, path, query, body, headers = request
        text = json.loads(body) if body.startswith(("{", "[")) else None
        return {"method": method, "path": path, "get_data": query, "form_data": {}, "headers": headers, "json": text}


class Known(LTI1P3PlatformConfAbstract):
    def init_platform_config(self, lms):
        self.lms = lms

    def get_registration_by_params(self, **_):
        tool, key = self.lms.known["tool"], self.lms.known["key"]
        private = serialization.load_pem_private_key(key.encode(), None)
        public = private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        made = Registration().set_iss(self.lms.address).set_client_id("quadrille").set_deployment_id("1")
        made.set_launch_url(f"{tool}/lti/launch").set_oidc_login_url(f"{tool}/lti/login")
        made.set_deeplink_launch_url(f"{tool}/lti/choose").set_tool_key_set_url(f"{tool}/lti/keys")
        return made.set_platform_private_key(key).set_platform_public_key(public.decode())


class Login(OIDCLoginAbstract):
    def set_lti_message_hint(self, **hint):
        self._lti_message_hint = json.dumps(hint)

    def get_redirect(self, url):
        return url


class Launch(LTIAdvantageMessageLaunchAbstract):
    def prepare_launch(self, preflight_response):
        lms, hint = self._platform_config.lms, json.loads(preflight_response["lti_message_hint"])
        member = lms.member(preflight_response["login_hint"])
        self.set_user_data(member["id"], [lms.role(member)], member["name"], member["email"], member["username"])
        self.set_resource_link_claim("link-1")
        self.set_launch_context_claim("c-1", context_title="Foundations there")
        self.set_ags(f"{lms.address}/items")
        self.set_nrps(f"{lms.address}/members")
        if hint["assignment"]:
            self.set_custom_parameters_claim({"assignment": hint["assignment"]})
        if hint["deep"]:
            self.set_dl(f"{lms.address}/chosen")

    def render_launch_form(self, launch_data, **_):
        return launch_data


class Members(NamesRoleProvisioningService):
    def get_context_by_id(self):
        return Context("c-1", "c", "Foundations there")

    def get_member_data_page(self, page=1, limit=None, **_):
        """Two people on a page, whatever is asked for."""
        lms, begin = self.platform_config.lms, 2 * (int(page) - 1)
        listed = [
            {"user_id": each["id"], "roles": [lms.role(each)], "name": each["name"], "email": each["email"]}
            for each in lms.known["members"]
        ]
        return {"content": listed[begin : begin + 2], "has_next": len(listed) > begin + 2}


class Grades(AssignmentsGradesService):
    @property
    def lms(self):
        return self.platform_config.lms

    def find_lineitems(self, page=1, limit=None, resource_id=None, **_):
        found = [each for each in self.lms.known["items"] if resource_id in (None, each.get("resourceId"))]
        return {"content": found, "has_next": False}

    def create_lineitem(self, creation_data):
        made = {**creation_data, "id": f"{self.lms.address}/items/{len(self.lms.known['items'])}"}
        self.lms.known["items"].append(made)
        self.lms.keep()
        return made

    def update_score(self, line_item_id, score):
        same = [each for each in self.lms.known["scores"] if each["userId"] == score["userId"]]
        if any(each["timestamp"] >= score["timestamp"] for each in same):
            return UpdateScoreStatus.OLD_TIMESTAMP
        self.lms.known["scores"].append(score)
        self.lms.keep()
        return UpdateScoreStatus.SUCCESS

    find_lineitem = update_lineitem = delete_lineitem = get_results = None


class Lti1p3(Lms):
    def __init__(self, *args):
        super().__init__(*args)
        self.conf = Known(lms=self)
        self.conf.get_registration()

    @staticmethod
    def role(member):
        return f"{ROLES}{'Instructor' if member['role'] == 'instructor' else 'Learner'}"

    def preflight(self, member, deep, assignment):
        login = Login(None, self.conf)
        login.set_lti_message_hint(deep=deep, assignment=assignment)
        if deep:
            login.set_deeplinking_launch_url()
        return login.initiate_login(member["id"])

    def launch(self, asked):
        found = Launch(Asked(("GET", "/auth", asked, "", {})), self.conf).lti_launch()
        return found["launch_url"], {"state": found["state"], "id_token": found["id_token"]}

    def keys(self):
        return self.conf.get_jwks()

    def token(self, form):
        return self.conf.get_access_token(form)

    def chosen(self, token):
        return self.conf.validate_deeplinking_resp({"JWT": token})

    def service(self, method, path, query, body, headers):
        asked = Asked((method, path, query, body, headers))
        try:
            if path == "/members":
                return self.listed(Members(asked, self.conf, f"{self.address}/members"))
            grades = Grades(asked, self.conf, f"{self.address}/items")
            if path == "/items" and method == "GET":
                answer = grades.handle_get_lineitems()
                return answer.code, answer.media_type, json.dumps(answer.result["content"])
            answer = (
                grades.handle_create_lineitem() if path == "/items" else grades.handle_update_score(path.split("/")[2])
            )
            return answer.code, answer.media_type, json.dumps(answer.result)
        except LtiException as error:
            raise Refused(getattr(error, "status_code", 401), str(error)) from error

    def listed(self, service):
        """The library leaves the header that leads to the next page to whoever serves it."""
        page = int(service.request.get_data.get("page", 1))
        service.request.get_data["page"] = page
        answer = service.handle_get_members()
        more = len(self.known["members"]) > 2 * page
        link = generate_next_link(f"{self.address}/members?page={page + 1}") if more and answer.code == 200 else ""
        return answer.code, answer.media_type, json.dumps(answer.result), link


if __name__ == "__main__":
    serve(Lti1p3)
