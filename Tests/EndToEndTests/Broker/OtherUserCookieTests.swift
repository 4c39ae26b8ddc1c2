import Foundation
import OAuth
import TestSupport
import Testing

/// Tests in which another user of the machine presents the cookies of a user's browser.
///
/// Browsers send a cookie to every port of a host, so a server of another user on the same host can receive it.
@Suite(.timeLimit(.minutes(5)))
struct OtherUserCookieTests {
    /// A Python script that requests addresses with a cookie and does not follow redirects.
    private static let asker = """
        import json, ssl, sys, urllib.error, urllib.request
        field, certificate, *addresses = sys.argv[1:]

        class Stay(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, *_):
                return None

        context = ssl.create_default_context(cadata=certificate)
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), Stay(), urllib.request.HTTPSHandler(context=context)
        )
        answers = []
        for address in addresses:
            try:
                answer = opener.open(urllib.request.Request(address, headers={"Cookie": field}), timeout=30)
            except urllib.error.HTTPError as error:
                answer = error
            answers.append([answer.status, answer.headers.get("Location") or "", answer.read().decode()])
        print(json.dumps(answers))
        """

    private static let redirectURI = "https://app.example/cb"

    @Test("a session cookie that another user presents opens no account page and gives no code") func session()
        async throws
    {
        try requireRoot("becomes another user")
        let machine = try Machine()
        let files = try LocalCertificate.write(to: machine.folder)
        let base = "https://localhost:\(machine.port)"
        try machine.write(
            [
                "issuerBase: \(base)", "listen: [\"127.0.0.1:\(machine.port)\"]",
                "tls: {certificate: \"\(files.certificate)\", privateKeyFile: \"\(files.privateKey)\"}",
                "log: {level: info, format: text}", "clients:",
                "  web: {type: public, firstParty: true, apis: [tasks], redirectURIs: [\"\(Self.redirectURI)\"]}",
            ],
            to: "etc/tokenbrokerd.yaml"
        )
        let daemon = try machine.startBroker()
        let person = Person.random()
        try person.signUp(try machine.connect(), on: machine)
        // The client has no loopback redirect URI. Such a URI may belong to any program, so no code would be sent to it
        // without a prompt (RFC 8252 §8.6).
        let authorize = machine.authorizeAddress().replacing(machine.base, with: base)
            .replacing("client_id=tasks-cli", with: "client_id=web")
            .replacing(/redirect_uri=[^&]+/, with: Form.encoded([("redirect_uri", Self.redirectURI)]))
        let account = "\(base)/local/account"
        var browser = WebBrowser()
        let page = try await browser.open(authorize)
        let done = try await browser.submit(page, ["username": person.email, "password": person.password])
        #expect(try destination(of: done).contains("code="))
        let cookie = try #require(browser.value(of: "__Host-session"))

        let silent = authorize + "&prompt=none"
        let field = "__Host-session=\(cookie)"
        let output = try OtherUser.run(Self.asker, [field, LocalCertificate.certificate, account, silent])
        let theirs = try StrictJSON.parse(Array(output.utf8)).array ?? []
        try #require(theirs.count == 2)
        #expect(theirs[0].array?.last?.string?.contains(person.email) == false, "\(theirs[0])")
        #expect(theirs[0].array?[1].string?.contains("/local/flow/") == true, "\(theirs[0])")
        #expect(theirs[1].array?[1].string?.contains("error=login_required") == true, "\(theirs[1])")
        // The session still works in the user's own browser.
        #expect(try destination(of: try await browser.open(silent)).contains("code="))
        #expect(try await browser.open(account).text.contains(person.email))
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }
}
