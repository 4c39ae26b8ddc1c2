import AsyncHTTPClient
import Foundation
import LocalIssuer
import NIOCore
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests of who may open a link to an external server, and of how the server's response may arrive.
@Suite(.timeLimit(.minutes(5)))
struct OutsideLinkTests {
    /// A Python script that opens a link, submits the page that asks for two words, and opens the link again with the
    /// new cookie.
    private static let visitor = """
        import json, re, sys, urllib.parse, urllib.request
        link, decision, words = sys.argv[1:]

        class Stay(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, *arguments):
                return None

        opener = urllib.request.build_opener(Stay, urllib.request.ProxyHandler({}))
        cookies = {}

        def page(form=None):
            request = urllib.request.Request(link, data=form and urllib.parse.urlencode(form).encode())
            if cookies:
                request.add_header("Cookie", "; ".join(f"{name}={value}" for name, value in cookies.items()))
            try:
                answer = opener.open(request, timeout=30)
            except urllib.error.HTTPError as error:
                answer = error
            for field in answer.headers.get_all("Set-Cookie") or []:
                name, value = field.split(";")[0].split("=", 1)
                cookies[name] = value
            way = answer.headers.get("Location") or answer.headers.get("Refresh") or ""
            return {"status": answer.status, "way": way, "text": answer.read().decode()}

        first = page()
        hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', first["text"]))
        second = page({**hidden, "_decision": decision, "_words": words})
        print(json.dumps([first, second, page()]))
        """

    /// Runs the script as another user, and returns the pages that the other user gets.
    private func visit(_ link: String, _ decision: String, _ words: [String]) throws -> [JSONValue] {
        let pages = try OtherUser.run(Self.visitor, [link, decision, words.joined(separator: " ")])
        return try StrictJSON.parse(Array(pages.utf8)).array ?? []
    }

    @Test("a link to an authority opens for another user only after the two words of the terminal")
    func anotherUser() async throws {
        try requireRoot("becomes another user")
        try await OutsideScene.run(isService: true) { scene in
            for (decision, isRight) in [("deny", true), ("allow", false), ("allow", true)] {
                let asked = OutsideScene.silent(["prompt": "login"])
                let flow = try #require(try scene.connection.call("token.acquire", asked)["flow"])
                let link = try #require(flow["browser"]?["url"]?.string)
                let words = try #require(flow["browser"]?["words"]?.strings)
                #expect(words.count == 2)
                let pages = try visit(link, decision, isRight ? words : ["wrong", "words"])
                let first = try #require(pages.first)
                #expect(first["status"]?.int == 200, "\(first)")
                for word in words { #expect(first["text"]?.string?.contains(">\(word)<") == false, "\(first)") }
                #expect(first["way"]?.string == "" && first["text"]?.string?.contains(scene.provider.issuer) == false)
                let leads = pages.last?["way"]?.string?.contains(scene.provider.issuer + "/authorize") == true
                #expect(leads == (decision == "allow" && isRight), "\(pages)")
                let now = try scene.connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"]
                #expect(now?["state"]?.string == (decision == "allow" ? "pending" : "cancelled"), "\(now ?? .null)")
                #expect(now?["openedBy"]?["uid"]?.int == Int64(OtherUser.uid), "\(now ?? .null)")
                if now?["state"] == "pending" {
                    _ = try scene.connection.call("flow.cancel", ["flow": flow["id"] ?? .null])
                }
            }
            #expect(scene.provider.redemptions == 0)
        }
    }

    @Test("a response that a provider posts, as Apple does, is accepted; without the cookie it has no effect")
    func formPost() async throws {
        let scene = ProviderScene()
        try await scene.withProvider { provider, machine in
            var browser = WebBrowser()
            let there = try destination(of: try await browser.open(scene.request(machine)))
            let answer = try provider.answer(to: there)
            let back = try await WebBrowser.posted(answer, to: "\(machine.base)/local/oauth2/authresp")
            #expect(provider.redemptions == 0)
            let done = try await browser.open(machine.base + back)
            #expect(try await scene.claims(done, machine)["idp"]?.string == "partner")
            #expect(provider.redemptions == 1)
            // The address works only once, and in no other browser.
            var stranger = WebBrowser()
            #expect(try await stranger.open(machine.base + back).status == 404)
            #expect(try await browser.open(machine.base + back).status == 404)
        }
    }
}

extension WebBrowser {
    /// Posts a form without cookies, as a page of another site does.
    ///
    /// - Returns: The path to which the browser is redirected.
    static func posted(_ form: Form, to url: String) async throws -> String {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.body = .bytes(ByteBuffer(string: Form.encoded(form.pairs)))
        let response = try await Self.withoutCookies.execute(request, timeout: .seconds(30))
        #expect(response.status == .seeOther)
        return try #require(response.headers.first(name: "Location"))
    }

    private static let withoutCookies: HTTPClient = {
        var configuration = HTTPClient.Configuration.forTests
        configuration.redirectConfiguration = .disallow
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()
}
