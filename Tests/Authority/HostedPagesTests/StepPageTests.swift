import FlowModel
import Foundation
import HostedPages
import Localization
import OAuth
import Policies
import Testing

@Suite(.timeLimit(.minutes(1))) struct StepPageTests {
    private func html(
        _ nodes: [Node],
        type: String = "password",
        actions: [Action] = [],
        attempts: AttemptsLeft? = nil,
        messages: [Message] = [],
        data: JSONValue? = nil,
        language: LanguageTag = .english,
        change: (inout StepPage) -> Void = { _ in }
    ) throws -> String {
        let policy = Policy(id: try PolicyID("b2c_1_a"), kind: .signUpOrSignIn)
        let step = Step(
            id: "st_1",
            type: StepType(rawValue: type),
            title: "A step",
            nodes: nodes,
            attempts: attempts,
            messages: messages,
            actions: actions,
            data: data
        )
        let form = PageForm(action: "/t/flow", csrf: "c", submission: "s")
        var page = StepPage(step, policy: policy, form: form, now: Date(timeIntervalSince1970: 1_000))
        change(&page)
        let frame = PageFrame(brand: PageBrand(policy), texts: PageTexts(language), assets: "/a")
        return HostedPage.step(page).html(in: frame)
    }

    private func tag(_ html: String, _ name: String) throws -> String {
        let start = try #require(html.range(of: " name=\"\(name)\""))
        let open = try #require(html[..<start.lowerBound].lastIndex(of: "<"))
        let close = try #require(html[start.upperBound...].firstIndex(of: ">"))
        return String(html[open...close])
    }

    @Test(
        "a node's kind selects its input",
        arguments: [
            (.text, #"type="text""#), (.email, #"type="email""#), (.email, #"inputmode="email""#),
            (.number, #"inputmode="numeric""#), (.date, #"type="date""#), (.secret, #"type="password""#),
            (.code, #"class="code""#), (.code, #"autocapitalize="none""#), (.bool, #"type="checkbox""#),
            (.select, "<select"), (.multiselect, #"type="checkbox""#),
            (.json, #"type="password""#),
        ] as [(Node.Kind, String)]
    )
    func kinds(_ kind: Node.Kind, _ expected: String) throws {
        let node = Node(name: "x", kind: kind, label: "X", required: true, options: ["a"])
        #expect(try tag(try html([node], type: "other"), "x").contains(expected))
    }

    @Test(
        "a display-only node has no input",
        arguments: [
            (.info, "https://a.example/"), (.link, "https://a.example/"), (.image, #"class="qr""#),
        ] as [(Node.Kind, String)]
    )
    func shown(_ kind: Node.Kind, _ expected: String) throws {
        let html = try html(
            [Node(name: "x", kind: kind, label: "Rules", required: false, value: "https://a.example/")],
            type: "other"
        )
        #expect(html.contains("Rules") && html.contains(expected))
        #expect(!html.contains(#"name="x""#))
    }

    @Test("a node for scanning is a QR code instead of its text") func scanned() throws {
        let image = Node(name: "x", kind: .image, label: "Key", required: false, value: "otpauth://totp/a")
        let html = try html([image], type: "other")
        #expect(html.contains("<svg class=\"qr\" viewBox=\"0 0 33 33\" role=\"img\" aria-label=\"QR code"))
        #expect(!html.contains("otpauth:"))
        let long = Node(
            name: "x",
            kind: .image,
            label: "Key",
            required: false,
            value: String(repeating: "long ", count: 1000)
        )
        let written = try self.html([long], type: "other")
        #expect(written.contains("<b>long ") && !written.contains("class=\"qr\""))
    }

    @Test(
        "password managers learn the purpose of a field",
        arguments: [
            ("password", "username", Node.Kind.text, "username"), ("password", "password", .secret, "current-password"),
            ("attributes", "password", .secret, "new-password"), ("attributes", "email", .email, "username"),
            ("attributes", "displayName", .text, "name"), ("attributes", "givenName", .text, "given-name"),
            ("attributes", "postalCode", .text, "postal-code"), ("code", "code", .code, "one-time-code"),
            ("totp", "code", .code, "one-time-code"), ("pin", "pin", .secret, "off"),
            ("other", "voucher", .code, "off"),
        ] as [(String, String, Node.Kind, String)]
    )
    func autocomplete(_ type: String, _ name: String, _ kind: Node.Kind, _ token: String) throws {
        let html = try html([Node(name: name, kind: kind, label: "X", required: true)], type: type)
        #expect(try tag(html, name).contains(#"autocomplete="\#(token)""#))
    }

    @Test("a code that is the only answer is submitted at its last digit, which the page says only with the script")
    func sentAtOnce() throws {
        let code = Node(name: "code", kind: .code, label: "C", required: true, minLength: 6)
        let picture = Node(name: "uri", kind: .image, label: "Scan", required: false, value: "otpauth://totp/a")
        for (type, nodes) in [("code", [code]), ("totp", [code]), ("totp_setup", [picture, code])] {
            let page = try html(nodes, type: type)
            #expect(try tag(page, "code").contains(#"data-digits="6""#))
            #expect(page.contains("<script src=\"/a/\(PageAsset.code.name)\" defer></script>"))
            #expect(page.contains(#"-sent" hidden>The code is checked as soon as you enter the last digit.</p>"#))
            #expect(try !tag(page, "code").contains("-sent"))
        }
        let name = Node(name: "username", kind: .text, label: "U", required: true)
        for (type, nodes) in [("code", [name, code]), ("external", [code]), ("password", [name])] {
            let page = try html(nodes, type: type)
            #expect(!page.contains("<script") && !page.contains("data-digits") && !page.contains("-sent"), "\(type)")
        }
    }

    @Test("typed text is kept, except secrets and codes") func kept() throws {
        let nodes = [
            Node(name: "username", kind: .text, label: "U", required: true),
            Node(name: "password", kind: .secret, label: "P", required: true),
            Node(name: "code", kind: .code, label: "C", required: true),
        ]
        let html = try html(nodes) { $0.previous.kept = ["username": "ada", "password": "pa55word", "code": "406139"] }
        #expect(try tag(html, "username").contains(#"value="ada""#))
        #expect(!html.contains("pa55word") && !html.contains("406139"))
    }

    @Test("a custom identity provider's fields have their own labels and any name") func external() throws {
        let nodes = [
            Node(name: "username", kind: .text, label: "username", required: true),
            Node(name: "password", kind: .secret, label: "password", required: true),
        ]
        let html = try html(nodes, type: "external", language: .german) { $0.person = "ada@example.org" }
        #expect(html.contains(">username<") && html.contains(">password<") && html.contains("Ihrer Organisation"))
        let name = try tag(html, "username")
        #expect(!name.contains("readonly") && !name.contains("ada@") && !name.contains("email"))
        let anything = [Node(name: "*", kind: .json, label: "Answer", required: true)]
        let kept = try self.html(anything, type: "external") { $0.previous.kept = ["*": "{\"pin\": 1}"] }
        #expect(kept.contains("Your answer, as a JSON object") && !kept.contains("pin"))
    }

    @Test("selected and ticked values are kept") func chosen() throws {
        let nodes = [
            Node(name: "team", kind: .select, label: "T", required: false, options: ["Red", "Blue"]),
            Node(name: "news", kind: .bool, label: "N", required: false),
        ]
        let html = try html(nodes, type: "other") { $0.previous.kept = ["team": "Blue", "news": "true"] }
        #expect(html.contains(#"<option value="Blue" selected>"#) && !html.contains(#"<option value="Red" selected>"#))
        #expect(try tag(html, "news").contains("checked"))
    }

    @Test("a problem is shown at its field, which refers to it, and linked from the summary") func problems() throws {
        let nodes = [
            Node(name: "displayName", kind: .text, label: "D", required: true),
            Node(name: "password", kind: .secret, label: "P", required: true, minLength: 8),
        ]
        let html = try html(nodes, type: "attributes") {
            $0.previous.problems = [
                NodeProblem(name: "displayName", code: .missing, text: "?"),
                NodeProblem(name: "password", code: .tooShort, text: "?"),
            ]
        }
        #expect(html.contains("<title>Error: "))
        #expect(html.contains("Please fix 2 fields"))
        #expect(html.contains(##"<a href="#field-1">Display name is missing.</a>"##))
        #expect(try tag(html, "displayName").contains(#"aria-invalid="true" aria-describedby="field-1-wrong""#))
        #expect(try tag(html, "password").contains(#"aria-describedby="field-2-wrong field-2-hint""#))
        #expect(html.contains(#"id="field-2-wrong""#) && html.contains("New password must have at least 8 characters."))
        #expect(html.contains(#"role="alert" tabindex="-1" autofocus"#))
        #expect(html.matches(of: #/ autofocus/#).count == 1)
    }

    @Test("a wrong answer is reported once, in the page's language, and its field is marked") func wrong() throws {
        let nodes = [Node(name: "password", kind: .secret, label: "P", required: true)]
        let message = Message(code: "credentials.wrong", level: .error, text: "English", node: "password")
        let html = try html(nodes, messages: [message], language: .german)
        #expect(html.contains(##"<a href="#field-1">Der Name oder das Kennwort stimmt nicht.</a>"##))
        #expect(try tag(html, "password").contains(#"aria-invalid="true" aria-describedby="summary""#))
        #expect(!html.contains("English"))
    }

    @Test("a sentence that the page does not know is shown unchanged") func unknownMessage() throws {
        let html = try html([], messages: [Message(code: "house.closed", level: .info, text: "The office is closed")])
        #expect(html.contains(#"role="status""#) && html.contains("The office is closed"))
    }

    @Test("an answer that came too early says when to try again") func early() throws {
        let change: (inout StepPage) -> Void = {
            $0.previous.refusal = Text(exactly: "too early")
            $0.previous.retryAfterMs = 1_001
        }
        let early = try html([], change: change)
        #expect(early.contains("Try again in 2 s.") && !early.contains("too early"))
        let closed = try html([]) { $0.previous.refusal = Text(exactly: "closed") }
        #expect(closed.contains("closed"))
    }

    @Test(
        "a rejected answer has the reason in the page's language",
        arguments: [LanguageTag.english, .german]
    )
    func refused(_ language: LanguageTag) throws {
        let refusal = Text("refusal.actionNotOffered")
        let html = try html([], language: language) { $0.previous.refusal = refusal }
        #expect(html.contains("<b>\(refusal.words(in: language))</b>") && html.contains(#"role="alert""#))
        #expect(html.contains("bietet diese Aktion nicht an") == (language == .german))
    }

    @Test(
        "an action is a button of the form that submits no answer",
        arguments: Action.Name.allCases.filter { !$0.takesValue }
    )
    func actions(_ action: Action.Name) throws {
        let node = Node(name: "password", kind: .secret, label: "P", required: true)
        let html = try html([node], type: "code", actions: [Action(action)])
        let button = try #require(html.firstMatch(of: #/<button[^>]* name="_action"[^>]*>/#)).0
        #expect(button.contains(#"form="actions""#) && button.contains(#"value="\#(action.rawValue)""#))
        let actions = try #require(html.firstMatch(of: #/<form id="actions"(?s:.*?)</form>/#)).0
        #expect(!actions.contains(#"name="password""#) && actions.contains(#"name="_csrf""#))
    }

    @Test("an action that the page adds is a button, too", arguments: StepPage.Offer.allCases)
    func offers(_ offer: StepPage.Offer) throws {
        let html = try html([]) { $0.offers = [offer] }
        #expect(html.contains(#"form="actions" name="_action" value="\#(offer.rawValue)""#))
    }

    @Test("the time until another code is counted down, and the button always works") func resend() throws {
        let early = try html([], type: "code", actions: [Action(.resend, availableAt: 1_023_100)])
        #expect(early.contains("You can request a new code in 24 s.") && early.contains(#"value="resend""#))
        #expect(
            try html([], type: "code", actions: [Action(.resend, availableAt: 999_000)]).contains(
                "or request a new code"
            )
        )
        let far = try html([], type: "code", actions: [Action(.resend, availableAt: .max)])
        #expect(far.contains("in 86400 s"))
    }

    @Test("the remaining attempts are shown after the first failure, and the last one is announced") func attempts()
        throws
    {
        #expect(!(try html([], attempts: AttemptsLeft(remaining: 3, max: 3)).contains("attempts")))
        #expect(try html([], attempts: AttemptsLeft(remaining: 2, max: 3)).contains("2 attempts left"))
        #expect(try html([], attempts: AttemptsLeft(remaining: 1, max: 3)).contains("One attempt left"))
        #expect(try html([], type: "pin", attempts: AttemptsLeft(remaining: 3, max: 3)).contains("3 attempts left"))
        #expect(!(try html([], attempts: AttemptsLeft(remaining: 1, max: 1_000_000)).contains("<i class")))
    }

    @Test("the name of a known user cannot be changed") func fixedName() throws {
        let node = Node(name: "username", kind: .text, label: "U", required: true, value: "other")
        let html = try html([node]) { $0.person = "ada@example.org" }
        #expect(try tag(html, "username").contains(#"value="ada@example.org""#))
        #expect(try tag(html, "username").contains("readonly"))
        let pin = try self.html([], type: "pin") { $0.person = "ada@example.org" }
        #expect(pin.contains(#"<bdi>ada@example.org</bdi>"#))
    }

    @Test("a consent names the client, its scopes and the redirect address, and refusing comes first")
    func consent() throws {
        let nodes = [
            Node(name: "tasks/read", kind: .info, label: "Read your tasks", required: false),
            Node(name: "allow", kind: .bool, label: "Allow", required: true),
        ]
        let page = try html(nodes, type: "consent", data: ["clientName": "Web Planner"]) {
            $0.returnsTo = "web.example"
        }
        #expect(page.contains("<h1>Allow Web Planner to use your account?</h1>"))
        #expect(page.contains("Read your tasks") && page.contains("<bdi>web.example</bdi>"))
        let refuse = try #require(page.range(of: #"name="allow" value="false""#))
        let allow = try #require(page.range(of: #"name="allow" value="true""#))
        #expect(refuse.lowerBound < allow.lowerBound)
    }

    @Test("a box keeps the browser signed in, where it is offered") func keep() throws {
        #expect(!(try html([]).contains("_keepMeSignedIn")))
        #expect(try tag(try html([]) { $0.keepsSignedIn = true }, "_keepMeSignedIn").contains("checked"))
    }

    @Test("a provider is a button with a separate form") func providers() throws {
        let html = try html([]) { $0.providers = [.init(name: "google", displayName: "Google")] }
        #expect(html.contains(#"name="_provider" value="google" aria-label="Continue with Google""#))
    }
}
