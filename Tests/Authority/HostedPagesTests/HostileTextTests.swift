import FlowModel
import Foundation
import HostedPages
import Localization
import OAuth
import Policies
import Testing

/// External text cannot become markup, break out of an attribute, or change the direction of the text next to it.
@Suite(.timeLimit(.minutes(1))) struct HostileTextTests {
    /// A text that contains every harmful character, and a marker for which the tests search.
    private static let hostile =
        "MARK<script>alert(1)</script>\"' onx=y &lt;\"\u{301} a=b '\u{308} c=d\u{202E}evil\u{0}\u{1B}[2J\u{2028}{{brand}}"

    private func pages() throws -> [HostedPage] {
        let evil = Self.hostile
        let policy = Policy(
            id: try PolicyID("b2c_1_a"),
            kind: .signUpOrSignIn,
            attributes: [AttributeRule(name: "extension_a", label: ["en": evil])],
            pages: PageLook(title: evil)
        )
        let form = PageForm(action: "/\(evil)", csrf: evil, submission: evil)
        let kinds = Node.Kind.allCases.enumerated().map { index, kind in
            Node(
                name: "extension_a\(index)\(evil)",
                kind: kind,
                label: evil,
                required: true,
                value: evil,
                options: [evil],
                hint: evil
            )
        }
        let step = Step(
            id: evil,
            type: StepType(rawValue: evil),
            title: evil,
            nodes: kinds + [Node(name: "extension_a", kind: .text, label: "", required: false)],
            messages: [Message(code: evil, level: .error, text: evil), Message(code: evil, level: .info, text: evil)],
            actions: Action.Name.allCases.map { Action($0) },
            data: ["clientName": .string(evil), "hint": .string(evil)]
        )
        let types = [evil, "code", "password", "consent", "pin", "attributes"]
        let steps = types.map { type -> HostedPage in
            let typed = Step(
                id: step.id,
                type: StepType(rawValue: type),
                title: step.title,
                nodes: step.nodes,
                messages: step.messages,
                actions: step.actions,
                data: step.data
            )
            var page = StepPage(typed, policy: policy, form: form, now: Date(timeIntervalSince1970: 0))
            page.client = evil
            page.person = evil
            page.returnsTo = evil
            page.accountPage = evil
            page.previous.kept = Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, evil) })
            page.previous.problems = kinds.map { NodeProblem(name: $0.name, code: .malformed, text: evil) }
            page.previous.refusal = Text(exactly: evil)
            page.providers = [.init(name: evil, displayName: evil)]
            page.previous.done = .resend
            return .step(page)
        }
        var account = AccountPage(form: form, displayName: evil, username: evil)
        account.sessions = [.init(id: evil, browser: evil, began: .now, used: .now, isCurrent: false)]
        account.devices = [.init(id: evil, name: evil, isTerminal: true, connected: .now)]
        account.consents = [.init(client: evil, name: evil, scopes: [evil], given: .now)]
        account.passwordAddress = evil
        account.profileAddress = evil
        return steps + [
            .account(account),
            .deviceCode(DeviceCodePage(form: form, userCode: evil, isUnknown: true)),
            .decision(
                DecisionPage(
                    .device(.init(client: evil, userCode: evil, scopes: [evil], address: evil, asked: .now)),
                    form: form,
                    now: .now
                )
            ),
            .words(
                WordsPage(
                    .init(program: evil, user: evil, uid: 0, machine: evil, asked: .now),
                    form: form,
                    now: .now
                )
            ), .decision(DecisionPage(.signOut(person: evil), form: form, now: .now)),
            .answer(AnswerPage(target: evil, parameters: [(evil, evil)], client: evil)),
            .notice(NoticePage(.deviceConnected, again: evil, back: .init(address: evil, name: evil))),
            .error(
                ErrorPage(
                    .client,
                    code: evil,
                    detail: Text(exactly: evil),
                    correlation: .random(),
                    time: .now,
                    again: evil
                )
            ),
        ]
    }

    @Test("hostile text is plain text on every page") func escaped() throws {
        let brand = PageBrand(title: Self.hostile)
        let frame = PageFrame(
            brand: brand,
            texts: PageTexts(
                .english,
                overrides: ["en": ["languages": Self.hostile, "step.password.submit": Self.hostile]]
            ),
            assets: "/\(Self.hostile)",
            otherLanguages: [.init(.german, address: Self.hostile)]
        )
        for page in try pages() {
            let html = page.html(in: frame)
            #expect(html.contains("MARK"))
            #expect(!html.contains("<script>") && !html.contains("</script>alert"))
            let scalars = html.unicodeScalars
            #expect(!scalars.contains { "\u{202E}\u{0}\u{1B}\u{2028}".unicodeScalars.contains($0) })
            let unknown = try attributes(of: html).subtracting(Self.known)
            #expect(unknown == [], "\(unknown)")
        }
    }

    /// Returns the names of all attributes, parsed scalar by scalar as a browser does.
    private func attributes(of html: String) throws -> Set<String> {
        var names: Set<String> = []
        var rest = Array(html.unicodeScalars)[...]
        while let open = rest.firstIndex(of: "<") {
            rest = rest[(open + 1)...].drop { !" >".unicodeScalars.contains($0) }
            while let first = rest.first, first != ">" {
                rest = rest.drop { $0 == " " || $0 == "/" }
                let name = rest.prefix { !"= >".unicodeScalars.contains($0) }
                rest = rest.dropFirst(name.count)
                if !name.isEmpty { names.insert(String(String.UnicodeScalarView(name))) }
                guard rest.first == "=" else { continue }
                try #require(rest.dropFirst().first == "\"")
                rest = rest.dropFirst(2).drop { $0 != "\"" }.dropFirst()
            }
        }
        return names
    }

    private static let known: Set<String> = [
        "html", "lang", "dir", "charset", "name", "content", "rel", "type", "href", "class", "id", "viewBox",
        "aria-hidden", "cx", "cy", "r", "d", "x", "y", "rx", "width", "height", "action", "method", "novalidate",
        "value",
        "role", "tabindex", "autofocus", "for", "required", "aria-invalid", "aria-describedby", "aria-label",
        "aria-labelledby", "autocomplete", "autocapitalize", "spellcheck", "enterkeyhint", "inputmode", "minlength",
        "maxlength", "readonly", "checked", "selected", "form", "hidden", "hreflang", "src", "defer", "pathLength",
        "stroke-dasharray", "attributeName", "from", "to", "dur", "fill", "http-equiv",
    ]
}
