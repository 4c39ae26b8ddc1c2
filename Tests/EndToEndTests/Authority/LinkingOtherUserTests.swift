import Foundation
import LocalIssuer
import OAuth
import TestSupport
import Testing

/// Tests of what another user on the machine can do to the first user's provider accounts and rate limits.
@Suite(.timeLimit(.minutes(5)))
struct LinkingOtherUserTests {
    /// A Python script that sends each line of standard input to the socket, and prints the response.
    private static let caller = """
        import socket, sys
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(sys.argv[1])
        answers = peer.makefile()
        for line in sys.stdin:
            peer.sendall(line.encode())
            sys.stdout.write(answers.readline())
        """

    /// A Python script that opens a link, prints the pages that it gets, and submits a form on the last page if given.
    ///
    /// If no cookies of an earlier run are given, the script first submits the two words.
    private static let visitor = """
        import json, re, sys, urllib.error, urllib.parse, urllib.request
        told = json.loads(sys.stdin.read() or "{}")
        cookies = told.get("cookies", {})

        class Stay(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, *_):
                return None

        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), Stay())

        def page(form=None):
            body = form and urllib.parse.urlencode(form).encode()
            request = urllib.request.Request(sys.argv[1], data=body)
            if cookies:
                request.add_header("Cookie", "; ".join(f"{name}={value}" for name, value in cookies.items()))
            try:
                answer = opener.open(request, timeout=30)
            except urllib.error.HTTPError as error:
                answer = error
            for field in answer.headers.get_all("Set-Cookie") or []:
                name, value = field.split(";")[0].split("=", 1)
                cookies[name] = value
            if answer.code == 303:
                return page()
            return {"url": answer.url, "refresh": answer.headers.get("Refresh"), "text": answer.read().decode()}

        def post(shown, form):
            hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', shown["text"]))
            return page({**hidden, **form})

        isNew = not cookies
        pages = [page()]
        if isNew:
            pages += [post(pages[0], {"_decision": "allow", "_words": told.get("words", "")}), page()]
        if "form" in told:
            pages.append(post(pages[-1], told["form"]))
        print(json.dumps({"pages": pages, "cookies": cookies}))
        """

    /// Returns the responses to calls by the other user, in the order of the calls.
    private func ask(_ calls: [(method: String, params: JSONValue)], _ machine: Machine) throws -> [JSONValue] {
        let lines = calls.map { call -> String in
            let request: JSONValue = [
                "jsonrpc": "2.0", "id": 1, "method": .string(call.method), "params": call.params,
            ]
            return request.text + "\n"
        }
        return try OtherUser.run(Self.caller, [machine.socket], input: lines.joined())
            .split(separator: "\n").map { try StrictJSON.parse(Array($0.utf8)) }
    }

    /// Runs `test` with a daemon that serves all users of the machine.
    private func withService(_ test: (LocalProvider, Machine, Connection) async throws -> Void) async throws {
        try requireRoot("becomes another user")
        try await ProviderScene().withProvider(isService: true) { provider, machine in
            try machine.openToOthers()
            try await test(provider, machine, try machine.connect())
        }
    }

    /// Starts to link an account of the provider, and returns the flow and its browser link.
    private func enrol(_ connection: Connection) throws -> (flow: JSONValue, link: String) {
        let enrol: JSONValue = ["type": "federated", "provider": "partner"]
        let flow = try #require(try connection.call("credential.enrol", enrol)["flow"])
        return (flow, try #require(flow["browser"]?["url"]?.string))
    }

    /// Returns the two words that belong to a flow's link.
    private func words(_ flow: JSONValue) -> JSONValue {
        .string(flow["browser"]?["words"]?.strings?.joined(separator: " ") ?? "")
    }

    private func acquire(_ token: JSONValue, _ more: JSONValue = [:]) -> JSONValue {
        let params: [String: JSONValue] = [
            "policy": "b2c_1_partner", "provider": "partner", "providerToken": token, "scopes": ["tasks.read"],
        ]
        return .object(params.merging(more.object ?? [:]) { $1 })
    }

    @Test(
        "another user with a stolen link is not shown the two words, and needs them and the password"
    )
    func stolenLink() async throws {
        try await withService { provider, machine, connection in
            let person = Person.random()
            try person.signUp(connection, on: machine)
            let (flow, link) = try enrol(connection)
            let words = try #require(flow["browser"]?["words"]?.strings)
            let stolen = try visit(link, ["words": "wrong words"])["pages"]?.array ?? []
            #expect(!words.isEmpty && !stolen.isEmpty)
            for page in stolen {
                let text = page["text"]?.string ?? ""
                #expect(text.contains("name=\"_words\"") && !text.contains("name=\"password\""), "\(page)")
                #expect(!text.contains(words.joined(separator: " ")), "\(page)")
                // A word can also be the name of a style, so only element contents and `value` attributes are checked.
                for word in words {
                    #expect(!text.contains(">\(word)<") && !text.contains("value=\"\(word)\""), "\(page)")
                }
            }
            let pages = try visit(link, ["words": .string(words.joined(separator: " "))])["pages"]?.array ?? []
            let last = try #require(pages.last)
            #expect(last["text"]?.string?.contains("name=\"password\"") == true, "\(last)")
            #expect(last["refresh"]?.string == nil && last["url"]?.string?.hasPrefix(machine.base) == true)
            #expect(provider.redemptions == 0)
            let listed = try connection.call("credential.list", ["type": "federated"])["credentials"]
            #expect(listed == [])
            // The other user can neither list nor unlink provider accounts of the first user.
            let answers = try ask(
                [
                    ("credential.list", ["type": "federated"]),
                    ("credential.remove", ["type": "federated", "provider": "partner"]),
                ],
                machine
            )
            #expect(answers.map { $0["error"]?["code"]?.int } == [1001, 1001], "\(answers)")
        }
    }

    /// Opens a link in the other user's browser, and returns the pages and the cookies.
    private func visit(_ link: String, _ told: JSONValue = [:]) throws -> JSONValue {
        try StrictJSON.parse(Array(try OtherUser.run(Self.visitor, [link], input: told.text).utf8))
    }

    /// Returns the text of the last page that the other user's browser showed.
    private func lastText(_ visited: JSONValue) -> String { visited["pages"]?.array?.last?["text"]?.string ?? "" }

    @Test("verification at the socket does not count in another user's browser, which shows what linking would do")
    func provedAtTheSocket() async throws {
        try await withService { provider, machine, connection in
            let person = Person.random()
            try person.signUp(connection, on: machine)
            let (flow, link) = try enrol(connection)
            let answers: JSONValue = ["username": .string(person.email), "password": .string(person.password)]
            let proved = try connection.submit(flow, answers)
            #expect(proved["flow"]?["step"]?["data"]?["purpose"]?.string == "link", "\(proved)")
            let visited = try visit(link, ["words": words(flow)])
            let warning = "the account that you sign in with will be linked to that person"
            let question = visited["pages"]?.array?.first?["text"]?.string ?? ""
            #expect(question.contains(warning), "\(question)")
            let shown = lastText(visited)
            #expect(shown.contains("name=\"password\"") && !shown.contains("value=\"partner\""), "\(shown)")
            let now = try connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"]
            #expect(now?["step"]?["type"]?.string == "password", "\(now ?? .null)")
            // After the user enters the password in this browser, linking continues.
            let more: JSONValue = ["cookies": visited["cookies"] ?? .null, "form": answers]
            let linking = lastText(try visit(link, more))
            #expect(linking.contains("Link an account from another service"), "\(linking)")
            #expect(provider.redemptions == 0)
        }
    }

    @Test("verification at the socket counts only in the user's own browser, not in one that opened the link before")
    func provedLater() async throws {
        try await withService { provider, machine, connection in
            let person = Person.random()
            try person.signUp(connection, on: machine)
            let (flow, link) = try enrol(connection)
            let first = try visit(link, ["words": words(flow)])
            #expect(lastText(first).contains("name=\"password\""))
            let answers: JSONValue = ["username": .string(person.email), "password": .string(person.password)]
            _ = try connection.submit(flow, answers)
            let shown = lastText(try visit(link, ["cookies": first["cookies"] ?? .null]))
            #expect(shown.contains("name=\"password\"") && !shown.contains("value=\"partner\""), "\(shown)")
            #expect(provider.redemptions == 0)
            _ = try connection.call("flow.cancel", ["flow": flow["id"] ?? .null])
            let own = try enrol(connection)
            _ = try connection.submit(own.flow, answers)
            var browser = WebBrowser()
            let page = try await browser.open(own.link)
            #expect(page.text.contains("Link an account from another service"), "\(page.text)")
            #expect(try connection.call("credential.list", ["type": "federated"])["credentials"] == [])
        }
    }

    @Test("refused provider tokens delay only the uid that presents them, before the tokens are verified")
    func broughtTokens() async throws {
        try await withService { provider, machine, connection in
            let good: JSONValue = ["id_token": .string(try provider.idToken())]
            provider.tell(.wrongAudience)
            let wrong: JSONValue = ["id_token": .string(try provider.idToken())]
            provider.tell(nil)
            for _ in 0..<10 {
                #expect(try connection.refusal("token.acquire", acquire(wrong)).code == 1012)
            }
            for token in [wrong, good] {
                let blocked = try connection.refusal("token.acquire", acquire(token))
                #expect(blocked.code == 1007 && (blocked.retryAfterMs ?? 0) > 0, "\(blocked)")
                #expect((blocked.retryAfterMs ?? .max) <= 60_000, "\(blocked)")
            }
            let start: JSONValue = [
                "policy": "b2c_1_partner", "provider": "partner", "providerToken": good, "requestId": "r-1",
            ]
            #expect(try connection.refusal("flow.start", start).code == 1007)
            #expect(try connection.call("flow.list")["flows"] == [])
            let theirs = try ask([("token.acquire", acquire(good))], machine)
            #expect(theirs.first?["result"]?["token"]?["amr"] == ["fed"], "\(theirs)")
            // Passwords have a separate rate limit.
            let person = Person.random()
            try person.signUp(connection, on: machine)
            #expect(try person.signIn(connection) == "accepted")
        }
    }

    @Test("valid provider tokens are not counted as attempts, even between invalid ones") func rightTokens()
        async throws
    {
        try await withService { provider, machine, connection in
            let good: JSONValue = ["id_token": .string(try provider.idToken())]
            for _ in 0..<20 { _ = try connection.call("token.acquire", acquire(good)) }
            provider.tell(.wrongAudience)
            let wrong: JSONValue = ["id_token": .string(try provider.idToken())]
            #expect(try connection.refusal("token.acquire", acquire(wrong)).code == 1012)
        }
    }

    @Test(
        "a uid has sixty forced renewals a minute; beyond them it still gets cached tokens, and other uids renew"
    )
    func forcedRenewals() async throws {
        try await withService { provider, machine, connection in
            let person = Person.random()
            try person.signUp(connection, on: machine)
            let forced: JSONValue = ["scopes": ["tasks.read"], "prompt": "none", "forceRefresh": true]
            _ = try person.token(connection)
            for _ in 0..<60 { _ = try connection.call("token.acquire", forced) }
            let refused = try connection.refusal("token.acquire", forced)
            #expect(refused.code == 1013 && refused.data["limit"]?.string == "forcedRenewals", "\(refused)")
            #expect((1...60_000).contains(refused.retryAfterMs ?? 0), "\(refused)")
            #expect(try person.token(connection)["fromCache"]?.bool == true)
            let program = try machine.tokenbroker(["token", "--force-refresh"])
            #expect(program.status == 75, "\(program)")
            let good: JSONValue = ["id_token": .string(try provider.idToken())]
            let theirs = try ask([("token.acquire", acquire(good)), ("token.acquire", forced)], machine)
            #expect(theirs.last?["result"]?["token"]?["fromCache"]?.bool == false, "\(theirs)")
        }
    }
}
