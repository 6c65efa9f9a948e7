"""Signing in and out, one's password, and the colour theme."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import views
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse, reverse_lazy
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from memory.console import throttle
from memory.console.forms import SignInForm
from memory.web.pages import forbid_caching
from memory.web.wordings import translate as _

THEMES = ("system", "light", "dark")
THEME_COOKIE = "commonplace_theme"
YEAR_S = 365 * 24 * 3600


class SignIn(views.LoginView):
    authentication_form = SignInForm
    template_name = "console/session/login.html"
    next_page = "console:home"
    redirect_authenticated_user = True

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return forbid_caching(super().dispatch(request, *args, **kwargs))

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        name, address = request.POST.get("username", ""), request.META.get("REMOTE_ADDR", "")
        wait_s = throttle.count_attempt(name, address)
        if wait_s:
            # Before the password is looked at, so that many attempts at once are no way around.
            return self.come_back_later(wait_s)
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        throttle.reset_attempts(form.cleaned_data["username"], self.request.META.get("REMOTE_ADDR", ""))
        return super().form_valid(form)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=422)

    def come_back_later(self, wait_s: int) -> HttpResponse:
        form = self.get_form_class()(self.request)
        response = self.render_to_response(self.get_context_data(form=form, wait_minutes=-(-wait_s // 60)), status=429)
        response.headers["Retry-After"] = str(wait_s)
        return response


class ChangePassword(views.PasswordChangeView):
    """The one-time password of a new account is somebody else's until it is changed."""

    template_name = "console/settings/password.html"
    success_url = reverse_lazy("console:settings")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return forbid_caching(super().dispatch(request, *args, **kwargs))

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "label_suffix": ""}

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        # Every other session of this account ends with it.
        messages.success(self.request, _("The password is changed."))
        return super().form_valid(form)

    def form_invalid(self, form: PasswordChangeForm) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=422)


class SignOut(views.LogoutView):
    next_page = "console:login"


def find_safe_redirect(request: HttpRequest) -> str:
    """The local address a form asks to return to, or the console's own front page."""
    target = request.POST.get("next", "")
    # An address of another site would make the sign-in page a way to send people anywhere.
    allowed = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    return target if allowed else reverse("console:home")


@require_POST
def choose_theme(request: HttpRequest) -> HttpResponse:
    """The theme switch without JavaScript."""
    response = redirect(find_safe_redirect(request))
    theme = request.POST.get("theme", "")
    if theme in THEMES:
        # Readable by script, which keeps it in step with the switch.
        response.set_cookie(THEME_COOKIE, theme, max_age=YEAR_S, samesite="Lax", secure=request.is_secure())
    return forbid_caching(response)
