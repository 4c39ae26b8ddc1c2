#!/usr/bin/env bash
# curl only: discovery, PKCE, the pages with a cookie jar, code, userinfo, refresh, revocation, logout.
set -euo pipefail
scene() { python3 -c '
import json, os, sys
value = json.load(open(os.environ["CLIENTS_SCENE"]))
for name in sys.argv[1:]: value = value[name]
print(value)' "$@"; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
base=$(scene base) outbox=$(scene outbox)
client=$(scene clients curl id) secret=$(scene clients curl secret)
person=curl-$RANDOM$RANDOM@example.org
redirect=https://client.example/callback
web() { curl --silent --show-error --max-time 30 --cacert "$(scene authority_certificate)" --cookie "$work/jar" --cookie-jar "$work/jar" "$@"; }
member() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }
fail() {
    echo "curl: $*" >&2
    exit 1
}

metadata=$(web --fail "$base/local/B2C_1_sign_up_or_in/v2.0/.well-known/openid-configuration")
endpoint() { member "$1" <<<"$metadata"; }

# Opens a page and sends its first form, or the form of its other actions, with these fields.
hidden() { sed -n "${2:-1},\$p" "$1" | sed -n '/<form/,/<\/form>/p' | sed '/<\/form>/q' |
    sed -n 's/.*<input type="hidden" name="\([^"]*\)" value="\([^"]*\)".*/--data-urlencode\n\1=\2/p'; }
send() {
    local page=$1 fields
    shift
    mapfile -t fields < <(hidden "$page")
    web --output "$work/page" --location --write-out '%{url_effective}\n' "${fields[@]}" "$@" "$place" >"$work/place" || true
}
code() {
    local file try
    for ((try = 0; try < 600; try++)); do
        file=$(grep --files-with-matches --recursive --fixed-strings "$person" "$outbox" 2>/dev/null | head -n 1 || true)
        [[ -n $file ]] && { grep --only-matching --extended-regexp '\b[0-9]{6}\b' "$file" | head -n 1; return; }
        sleep 0.05
    done
    fail "no mail"
}

verifier=$(openssl rand -hex 32)
challenge=$(printf %s "$verifier" | openssl dgst -sha256 -binary | base64 | tr '+/' '-_' | tr -d '=')
place=$(web --get --output "$work/page" --location --write-out '%{url_effective}' "$(endpoint authorization_endpoint)" \
    --data-urlencode "client_id=$client" --data-urlencode response_type=code --data-urlencode "redirect_uri=$redirect" \
    --data-urlencode 'scope=openid profile offline_access tasks.read' --data-urlencode state=s1 --data-urlencode nonce=n1 \
    --data-urlencode "code_challenge=$challenge" --data-urlencode code_challenge_method=S256)
send "$work/page" --data _action=create
send "$work/page" --data-urlencode "email=$person" --data-urlencode 'displayName=Cleo Curl' --data city=Oslo \
    --data extension_team=red --data-urlencode 'password=Correct-horse-7'
# A consent page may follow. The page after the last form leads to the client, which does not exist.
finish() {
    local fields way
    mapfile -t fields < <(hidden "$work/page")
    way=$(web --output "$work/page" --write-out '%{redirect_url}%header{refresh}' "${fields[@]}" "$@" "$place")
    printf %s "${way#0; url=}"
}
location=$(finish --data "code=$(code)")
if [[ $location != "$redirect"* ]]; then
    web --output "$work/page" "$location"
    location=$(finish --data allow=true)
fi
[[ $location == "$redirect?code="* && $location == *'state=s1'* && $location == *'iss='* ]] || fail "answered $location"
code=${location#*code=}
tokens=$(web --fail-with-body --user "$client:$secret" --data grant_type=authorization_code --data-urlencode "code=${code%%&*}" \
    --data-urlencode "redirect_uri=$redirect" --data "code_verifier=$verifier" "$(endpoint token_endpoint)")
name=$(web --fail --oauth2-bearer "$(member access_token <<<"$tokens")" "$(endpoint userinfo_endpoint)" | member name)
[[ $name == 'Cleo Curl' ]] || fail "userinfo says $name"
first=$(member refresh_token <<<"$tokens")
refresh() { web --user "$client:$secret" --data grant_type=refresh_token --data-urlencode "refresh_token=$1" "$(endpoint token_endpoint)"; }
second=$(refresh "$first" | member refresh_token)
[[ $second != "$first" ]] || fail 'the refresh token was not rotated'
web --fail --user "$client:$secret" --data-urlencode "token=$second" "$(endpoint revocation_endpoint)"
[[ $(refresh "$second" | member error) == invalid_grant ]] || fail 'a revoked refresh token is still valid'
left=$(web --get --output "$work/page" --write-out '%{redirect_url}' "$(endpoint end_session_endpoint)" \
    --data-urlencode "id_token_hint=$(member id_token <<<"$tokens")" \
    --data-urlencode post_logout_redirect_uri=https://client.example/signed-out --data state=s2)
[[ $left == 'https://client.example/signed-out?state=s2' ]] || fail "signed out to '$left'"
