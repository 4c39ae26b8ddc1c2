import AuthorityStore
import AuthorityWeb
import FlowModel
import Flows
import Foundation
import HTTPTypes
import OAuth
import Policies
import Systemd
import Testing

/// A flow can start in a terminal and continue in a browser that runs under another uid.
@Suite(.timeLimit(.minutes(2)))
struct TerminalTicketTests {
    private static let owner = Owner.local(machine: "m", uid: 4321)

    /// Starts a flow in a terminal, and creates a browser for the flow's address.
    private func begun(
        _ scene: BrowserScene,
        by kind: BrowserPlace.Kind = .link
    ) async throws -> (Flow, BrowserPlace, TestBrowser) {
        let caller = Caller(owner: Self.owner)
        let request = FlowRequest(caller: caller, client: "tasks-cli", policy: try PolicyID(BrowserScene.policy))
        let flow = try await scene.flows.start(request).flow
        let place = try await scene.browsers.terminals.place(of: flow, client: "tasks-cli", by: kind, caller)
        var browser = TestBrowser(scene)
        browser.place = String(place.url.dropFirst(scene.base.utf8.count))
        return (flow, place, browser)
    }

    /// The state of a flow, as the terminal sees it.
    private func state(_ flow: Flow, _ scene: BrowserScene) async throws -> FlowState {
        try await scene.flows.get(flow.id, owner: Self.owner).state
    }

    /// Whether the text of a page, or a value of its form, contains one of the words.
    private func shows(_ page: BrowserScene.Answer, _ words: [String]) -> Bool {
        let text = page.text.replacing(/<[^>]*>/, with: " ") + " " + page.hidden.values.joined(separator: " ")
        return !Set(words).isDisjoint(with: text.lowercased().split { !$0.isLetter }.map(String.init))
    }

    @Test("the page names host, user and program, warns, shows no word, and asks for the words of the terminal")
    func confirmed() async throws {
        let scene = try BrowserScene()
        var (flow, place, browser) = try await begun(scene)
        let question = try await browser.send(.get, browser.place)
        #expect(question.status == 200 && place.words.count == 2)
        #expect(!shows(question, place.words), "\(place.words): \(question.text)")
        let machine = "<dd>\(MachineNames.host)</dd>"
        for text in ["4321", "tasks-cli", machine, "Never enter words that another person sent you."] {
            #expect(question.text.contains(text), "\(text)")
        }
        let typed = question.typing([" \(place.words[0].uppercased()), ", place.words[1] + "."])
        let admitted = try await browser.send(.post, browser.place, form: typed)
        #expect(admitted.status == 303 && admitted.location == browser.place)
        let signedUp = try await browser.signUp()
        let done = try await browser.notice(after: signedUp)
        #expect(done.text.contains("Return to the terminal"))
        #expect(try await state(flow, scene) == .succeeded)
        #expect(try await scene.flows.finished(flow.id, owner: Self.owner)?.username == BrowserScene.email)
    }

    @Test("a typed code leads to the same page, and a wrong or expired one to none") func typed() async throws {
        let scene = try BrowserScene()
        var (flow, place, browser) = try await begun(scene, by: .code)
        let code = try #require(place.code)
        #expect(code.page == "\(scene.base)/device" && place.url == "\(code.page)?user_code=\(code.userCode)")
        let entry = try await browser.send(.get, "/device?user_code=\(code.userCode)")
        #expect(entry.text.contains(code.userCode) && !shows(entry, place.words))
        let wrong = entry.hidden.merging(["user_code": "BBBB-BBBB"]) { $1 }
        let again = try await browser.send(.post, "/device", form: wrong)
        #expect(again.status == 422)
        let form = again.hidden.merging(["user_code": " \(code.userCode.lowercased()) "]) { $1 }
        let found = try await browser.send(.post, "/device", form: form)
        #expect(found.status == 303 && found.location.hasPrefix("/local/flow/"))
        browser.place = found.location
        let question = try await browser.send(.get, browser.place)
        for text in ["4321", "tasks-cli"] { #expect(question.text.contains(text), "\(text)") }
        #expect(!shows(question, place.words))
        #expect(try await browser.send(.post, browser.place, form: question.typing(place.words)).status == 303)
        #expect(try await browser.signUp().location == "/local/notice?done=answered&p=\(BrowserScene.policy)")
        #expect(try await state(flow, scene) == .succeeded)
    }

    @Test("a user that guesses codes has to wait") func guessed() async throws {
        let scene = try BrowserScene()
        var (_, place, browser) = try await begun(scene, by: .code)
        let entry = try await browser.send(.get, "/device")
        var form = entry.hidden
        var status = 422
        for _ in 0..<100 where status == 422 {
            let answer = try await browser.send(.post, "/device", form: form.merging(["user_code": "BBBB-BBBB"]) { $1 })
            status = answer.status
            if status == 422 { form = answer.hidden }
        }
        #expect(status == 429)
        let right = form.merging(["user_code": place.code?.userCode ?? ""]) { $1 }
        #expect(try await browser.send(.post, "/device", form: right).status == 429)
    }

    @Test("three wrong tries from any browsers end the flow, and then the right words open nothing")
    func wrongWords() async throws {
        let scene = try BrowserScene()
        var (flow, place, browser) = try await begun(scene)
        var other = TestBrowser(scene)
        (other.place, other.address) = (browser.place, 9)
        let asked = try await browser.send(.get, browser.place)
        let askedOther = try await other.send(.get, other.place)
        let empty = try await browser.send(.post, browser.place, form: asked.typing([" ", ""]))
        #expect(empty.status == 422 && empty.text.contains("Enter the two words."))
        let first = try await browser.send(.post, browser.place, form: asked.typing(["lunar", "wrong"]))
        #expect(first.status == 422 && first.text.contains("Attempts left: 2."), "\(first.text)")
        #expect(!shows(first, place.words))
        let second = try await other.send(.post, other.place, form: askedOther.typing(place.words.reversed() + ["x"]))
        #expect(second.status == 422 && second.text.contains("Attempts left: 1."), "\(second.text)")
        #expect(try await state(flow, scene) == .challenge)
        let third = try await browser.send(.post, browser.place, form: first.typing([place.words[0]]))
        #expect(third.status == 403 && third.text.contains("the wrong words three times"), "\(third.text)")
        let ended = try await scene.flows.get(flow.id, owner: Self.owner)
        #expect(ended.state == .failed(.denied) && ended.message?.contains("the wrong words three times") == true)
        for form in [first.typing(place.words), askedOther.typing(place.words)] {
            let late = try await browser.send(.post, browser.place, form: form)
            #expect(late.status == 404, "\(late.status)")
        }
        #expect(try await other.page().status == 404)
    }

    @Test("two daemons share the count of tries for a link") func twoDaemons() async throws {
        let scene = try BrowserScene()
        var (flow, place, browser) = try await begun(scene)
        let second = try scene.secondDaemon()
        var other = TestBrowser(second)
        other.place = browser.place
        let asked = try await browser.send(.get, browser.place)
        let askedOther = try await other.send(.get, other.place)
        #expect(try await browser.send(.post, browser.place, form: asked.typing(["a", "b"])).status == 422)
        #expect(try await other.send(.post, other.place, form: askedOther.typing(["c", "d"])).status == 422)
        #expect(try await browser.send(.post, browser.place, form: asked.typing(["e", "f"])).status == 403)
        #expect(try await other.send(.post, other.place, form: askedOther.typing(place.words)).status == 404)
        #expect(try await state(flow, scene) == .failed(.denied))
    }

    @Test("wrong words count against their origin, which then has to wait, and its right ones are not compared")
    func charged() async throws {
        let scene = try BrowserScene()
        var status = 0
        for _ in 0..<20 where status != 429 {
            var (_, _, browser) = try await begun(scene)
            browser.uid = 5555
            let asked = try await browser.send(.get, browser.place)
            for word in ["a", "b", "c"] where status != 429 {
                status = try await browser.send(.post, browser.place, form: asked.typing([word, word])).status
            }
            try await scene.flows.cancelAll(owner: Self.owner)
        }
        #expect(status == 429)
        var (flow, place, browser) = try await begun(scene)
        browser.uid = 5555
        let asked = try await browser.send(.get, browser.place)
        #expect(try await browser.send(.post, browser.place, form: asked.typing(place.words)).status == 429)
        #expect(try await state(flow, scene) == .challenge)
        // A browser that runs under another uid has its own limit, so it does not have to wait.
        var other = TestBrowser(scene)
        (other.place, other.uid) = (browser.place, 6666)
        let askedOther = try await other.send(.get, other.place)
        #expect(try await other.send(.post, other.place, form: askedOther.typing(place.words)).status == 303)
    }

    @Test("right words do not count against their origin") func rightWords() async throws {
        let scene = try BrowserScene()
        for _ in 0..<40 {
            var (_, place, browser) = try await begun(scene)
            browser.uid = 5555
            let asked = try await browser.send(.get, browser.place)
            #expect(try await browser.send(.post, browser.place, form: asked.typing(place.words)).status == 303)
            try await scene.flows.cancelAll(owner: Self.owner)
        }
    }

    @Test("a browser of the flow's uid continues without the words, and nothing is reported") func sameUser()
        async throws
    {
        let scene = try BrowserScene()
        var (flow, _, browser) = try await begun(scene)
        browser.uid = 4321
        let admitted = try await browser.send(.get, browser.place)
        #expect(admitted.status == 303 && admitted.location == browser.place)
        #expect(try await browser.page().text.contains("type=\"password\""))
        let now = try await scene.flows.get(flow.id, owner: Self.owner)
        #expect(now.openedBy == nil && now.rev == flow.rev)
    }

    @Test("the flow reports the first other user that opens its link, then the user that continues it, and no more")
    func reported() async throws {
        let scene = try BrowserScene()
        var (flow, place, browser) = try await begun(scene)
        browser.uid = 5555
        let asked = try await browser.send(.get, browser.place)
        let opened = try await scene.flows.wait(flow.id, owner: Self.owner, sinceRev: flow.rev, timeout: .seconds(30))
        #expect(opened.openedBy == .user(uid: 5555, name: nil) && opened.rev == flow.rev + 1 && opened.openings == 1)
        #expect(opened.step == flow.step)
        var phone = TestBrowser(scene)
        phone.place = browser.place
        for _ in 0..<3 {
            _ = try await browser.send(.get, browser.place)
            _ = try await phone.send(.get, phone.place)
        }
        #expect(try await scene.flows.get(flow.id, owner: Self.owner).rev == opened.rev)
        let askedPhone = try await phone.send(.get, phone.place)
        #expect(try await phone.send(.post, phone.place, form: askedPhone.typing(place.words)).status == 303)
        let now = try await scene.flows.get(flow.id, owner: Self.owner)
        #expect(now.openedBy == .address("198.51.100.7") && now.rev == flow.rev + 2)
        #expect(try await browser.send(.post, browser.place, form: asked.typing(place.words)).status == 404)
    }

    @Test("a \"no\" ends the flow, and its link prompts no user again") func turnedAway() async throws {
        let scene = try BrowserScene()
        var (flow, place, browser) = try await begun(scene)
        let question = try await browser.send(.get, browser.place)
        let no = question.hidden.merging(["_decision": "deny"]) { $1 }
        let refused = try await browser.send(.post, browser.place, form: no)
        let ended = try await browser.notice(after: refused)
        #expect(ended.text.contains("Nothing was changed"))
        #expect(try await state(flow, scene) == .cancelled)
        #expect(try await browser.send(.get, browser.place).status == 410)
        #expect(try await browser.send(.post, browser.place, form: question.typing(place.words)).status == 410)
    }

    @Test("a link sent to another user opens nothing until the words are typed") func sentLink()
        async throws
    {
        let scene = try BrowserScene()
        var (flow, place, browser) = try await begun(scene)
        let form = ["_decision": "allow", "_words": place.words.joined(separator: " "), "_csrf": "x"]
        #expect(try await browser.send(.post, browser.place, form: form).status == 403)
        let steps = ["username": "x@example.org", "password": "y", "_csrf": "x", "_submission": "s", "_step": "t"]
        #expect(try await browser.send(.post, browser.place, form: steps).headers[.location] == nil)
        #expect(try await scene.flows.get(flow.id, owner: Self.owner).step == flow.step)
        let question = try await browser.send(.get, browser.place)
        var other = TestBrowser(scene)
        other.place = browser.place
        let right = question.typing(place.words)
        #expect(try await other.send(.post, other.place, form: right).status == 403)
        #expect(try await browser.send(.post, browser.place, form: right).status == 303)
        #expect(try await other.page().status == 404)
        #expect(try await other.send(.post, other.place, form: right).status == 404)
        #expect(try await browser.page().status == 200)
    }

    @Test("of two browsers with the prompt, the second to answer neither gets the flow nor ends it") func second()
        async throws
    {
        let scene = try BrowserScene()
        var (flow, place, browser) = try await begun(scene)
        var other = TestBrowser(scene)
        other.place = browser.place
        let right = try await browser.send(.get, browser.place).typing(place.words)
        let asked = try await other.send(.get, other.place)
        #expect(try await browser.send(.post, browser.place, form: right).status == 303)
        for decision in ["allow", "deny"] {
            let answer = asked.typing(place.words).merging(["_decision": decision]) { $1 }
            #expect(try await other.send(.post, other.place, form: answer).status == 404)
        }
        #expect(try await browser.page().status == 200)
        #expect(try await scene.flows.get(flow.id, owner: Self.owner).step == flow.step)
    }

    @Test("of several browsers that continue a flow at once, one gets it") func race() async throws {
        let scene = try BrowserScene()
        let (_, place, first) = try await begun(scene)
        var ready: [(browser: TestBrowser, form: [String: String])] = []
        for _ in 0..<12 {
            var browser = TestBrowser(scene)
            let question = try await browser.send(.get, first.place)
            ready.append((browser, question.typing(place.words)))
        }
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for (browser, form) in ready {
                group.addTask {
                    var browser = browser
                    return try await browser.send(.post, first.place, form: form).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0 == 303 } == 1, "\(answers)")
    }

    @Test("cancelling on the page ends the flow of the terminal") func cancelled() async throws {
        let scene = try BrowserScene()
        var (flow, place, browser) = try await begun(scene)
        let question = try await browser.send(.get, browser.place)
        _ = try await browser.send(.post, browser.place, form: question.typing(place.words))
        let ended = try await browser.post(["_action": "cancel"])
        #expect(ended.location == "/local/notice?done=refused&p=\(BrowserScene.policy)")
        #expect(try await state(flow, scene) == .cancelled)
    }
}
