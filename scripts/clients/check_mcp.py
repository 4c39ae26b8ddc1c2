"""The mcp package: a client with only the address of the tasks API discovers the authority (RFC 9728) and signs in."""

import asyncio

import httpx2
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata

from proof import *  # noqa: F403

scene = Scene.current()
name, _ = scene.client("mcp")
person = Person(scene)
answers = []


class Storage:
    """Stores tokens, and the client that an operator registered: the authority has no dynamic registration."""

    def __init__(self):
        self.tokens = None
        self.client = OAuthClientInformationFull(
            client_id=name, redirect_uris=[CALLBACK], token_endpoint_auth_method="none"
        )

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


async def open_browser(address):
    answers.append(parameters(await asyncio.to_thread(person.visit, address)))


async def read_answer():
    answer = answers[-1]
    assert "code" in answer, answer
    return AuthorizationCodeResult(code=answer["code"], state=answer["state"], iss=answer["iss"])


async def main():
    storage = Storage()
    provider = OAuthClientProvider(
        scene.api, OAuthClientMetadata(client_name="A client of mcp", redirect_uris=[CALLBACK]), storage,
        open_browser, read_answer,
    )
    async with httpx2.AsyncClient(auth=provider, timeout=SECONDS) as client:
        assert (await client.get(f"{scene.api}/tables/todoitem")).status_code == 200
        first = storage.tokens
        # For the client its access token has expired: it refreshes without a prompt.
        provider.context.token_expiry_time = 1
        assert (await client.get(f"{scene.api}/tables/todoitem")).status_code == 200
    assert len(answers) == 1
    assert storage.tokens.access_token != first.access_token and storage.tokens.refresh_token != first.refresh_token


asyncio.run(main())
