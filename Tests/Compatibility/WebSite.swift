import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore

/// A site whose pages call the API from another origin.
enum WebSite {
    static func router() -> Router<HTTPContext> {
        let router = Router(context: HTTPContext.self)
        router.get("/calls") { _, _ in html(calls) }
        router.get("/enter") { request, _ in enter(request) }
        router.get("/cookies") { request, _ in html("<pre>\(request.headers[.cookie] ?? "none")</pre>") }
        return router
    }

    /// Sets the query parameter `token` as cookies, and redirects to the query parameter `to`.
    ///
    /// The cookies have names that servers use for the tokens of signed-in users.
    private static func enter(_ request: Request) -> Response {
        let token = request.uri.queryParameters.get("token") ?? ""
        var fields: HTTPFields = [.location: request.uri.queryParameters.get("to") ?? "/cookies"]
        for name in ["AppServiceAuthSession", "X-ZUMO-AUTH", "Authorization"] {
            fields.append(HTTPField(name: .setCookie, value: "\(name)=\(token); Path=/"))
        }
        return Response(status: .seeOther, headers: fields)
    }

    private static func html(_ body: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8",
                .contentSecurityPolicy: "script-src 'unsafe-inline'; connect-src http:",
            ],
            body: .init(byteBuffer: ByteBuffer(string: "<!DOCTYPE html><meta charset=\"utf-8\">\(body)"))
        )
    }

    /// A page that calls the API as the JavaScript client does, and in ways that the API must reject.
    ///
    /// The page reads the API's port and a token from the URL fragment, and writes the results into its document.
    private static let calls = """
        <pre id="results"></pre>
        <script>
        const given = new URLSearchParams(location.hash.slice(1));
        const api = 'http://127.0.0.1:' + given.get('port');
        const token = given.get('token');
        const results = {};
        async function call(name, path, options) {
            try {
                const answer = await fetch(api + path, options);
                results[name] = {
                    status: answer.status, type: answer.type, link: answer.headers.get('Link'), tag: answer.headers.get('ETag'),
                    server: answer.headers.get('x-zumo-server-version'), text: await answer.text(),
                };
            } catch (error) {
                results[name] = {blocked: error.name};
            }
            return results[name];
        }
        async function all() {
            const fields = {
                'ZUMO-API-VERSION': '2.0.0', 'X-ZUMO-INSTALLATION-ID': '4ae1a2bb-b9de-3a0b-9d35-7a0f8e3a3c44',
                'X-ZUMO-VERSION': 'ZUMO/2.0 (lang=Web; os=--; os_version=--; arch=--; version=2.0.1)', 'X-ZUMO-FEATURES': 'TQ',
            };
            const json = {...fields, 'Content-Type': 'application/json'};
            await call('list', '/tables/movies', {headers: fields});
            const made = await call('insert', '/tables/roundTripTable', {method: 'POST', headers: json, body: '{"name":"web"}'});
            if (made.status === 201) {
                const row = '/tables/roundTripTable/' + JSON.parse(made.text).id;
                const seen = {...json, 'If-Match': made.tag};
                const changed = await call('update', row, {method: 'PATCH', headers: seen, body: '{"name":"page"}'});
                await call('stale', row, {method: 'PATCH', headers: seen, body: '{"name":"late"}'});
                await call('delete', row, {method: 'DELETE', headers: {...fields, 'If-Match': changed.tag}});
            }
            await call('nobody', '/.auth/me', {headers: fields});
            await call('zumo', '/.auth/me', {headers: {...fields, 'X-ZUMO-AUTH': token}});
            await call('bearer', '/.auth/me', {headers: {'Authorization': 'Bearer ' + token}});
            await call('foreignField', '/tables/movies', {headers: {'X-Other': '1'}});
            for (const name of ['AppServiceAuthSession', 'X-ZUMO-AUTH', 'Authorization']) {
                document.cookie = name + '=' + token + '; path=/';
            }
            await call('cookie', '/.auth/me');
            await call('credentials', '/.auth/me', {credentials: 'include'});
            await call('forged', '/tables/authenticated', {
                method: 'POST', mode: 'no-cors', credentials: 'include', headers: {'Content-Type': 'text/plain'},
                body: '{"name":"forged"}',
            });
            document.getElementById('results').textContent = JSON.stringify(results);
        }
        all();
        </script>
        """
}
