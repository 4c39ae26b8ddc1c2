import BrowserFlows
import FlowModel
import Flows
import Foundation
import HTTPTypes
import OAuth
import Policies
import Systemd
import Testing

/// A flow of a terminal that goes on in a browser of another machine.
@Suite(.timeLimit(.minutes(2)))
struct TerminalTicketTests {
    private static let owner = Owner.local(machine: "m", uid: 4321)

    /// A flow of the terminal, and a browser at its address.
    private func begun(
        _ scene: BrowserScene,
        by kind: BrowserPlace.Kind = .link
    ) async throws -> (Flow, BrowserPlace, TestBrowser) {
        let caller = Caller(owner: Self.owner)
        let request = FlowRequest(caller: caller, client: "tasks-cli", policy: try PolicyID(BrowserScene.policy))
        let flow = try await scene.flows.start(request).flow
        let place = try await scene.browsers.place(of: flow, client: "tasks-cli", by: kind, caller)
        var browser = TestBrowser(scene)
        browser.place = String(place.url.dropFirst(scene.base.utf8.count))
        return (flow, place, browser)
    }

    @Test("the page asks with the words, the machine, the user and the program, and says so to the terminal")
    func confirmed() async throws {
        let scene = try BrowserScene()
        var (flow, place, browser) = try await begun(scene)
        let question = try await browser.send(.get, browser.place)
        #expect(question.status == 200 && place.words.count == 2)
        let machine = "<dd>\(MachineNames.host)</dd>"
        for text in place.words + ["4321", "tasks-cli", machine] { #expect(question.text.contains(text), "\(text)") }
        let yes = question.hidden.merging(["_decision": "allow"]) { $1 }
        let admitted = try await browser.send(.post, browser.place, form: yes)
        #expect(admitted.status == 303 && admitted.location == browser.place)
        let signedUp = try await browser.signUp()
        let done = try await browser.notice(after: signedUp)
        #expect(done.text.contains("Back to the terminal"))
        #expect(try await scene.flows.get(flow.id, owner: Self.owner).state == .succeeded)
        #expect(try await scene.flows.finished(flow.id, owner: Self.owner)?.username == BrowserScene.email)
    }

    @Test("a code that is typed leads to the same question, and a wrong or old one to none") func typed() async throws {
        let scene = try BrowserScene()
        var (flow, place, browser) = try await begun(scene, by: .code)
        let code = try #require(place.code)
        #expect(code.page == "\(scene.base)/device" && place.url == "\(code.page)?user_code=\(code.userCode)")
        let entry = try await browser.send(.get, "/device?user_code=\(code.userCode)")
        #expect(entry.text.contains(code.userCode) && !entry.text.contains(place.words[0]))
        let wrong = entry.hidden.merging(["user_code": "BBBB-BBBB"]) { $1 }
        let again = try await browser.send(.post, "/device", form: wrong)
        #expect(again.status == 422)
        let form = again.hidden.merging(["user_code": " \(code.userCode.lowercased()) "]) { $1 }
        let found = try await browser.send(.post, "/device", form: form)
        #expect(found.status == 303 && found.location.hasPrefix("/local/flow/"))
        browser.place = found.location
        let question = try await browser.send(.get, browser.place)
        for text in place.words + ["4321", "tasks-cli"] { #expect(question.text.contains(text), "\(text)") }
        let yes = question.hidden.merging(["_decision": "allow"]) { $1 }
        #expect(try await browser.send(.post, browser.place, form: yes).status == 303)
        #expect(try await browser.signUp().location == "/local/notice?done=answered")
        #expect(try await scene.flows.get(flow.id, owner: Self.owner).state == .succeeded)
    }

    @Test("who guesses codes has to wait") func guessed() async throws {
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

    @Test("who says no ends the flow") func turnedAway() async throws {
        let scene = try BrowserScene()
        var (flow, _, browser) = try await begun(scene)
        let question = try await browser.send(.get, browser.place)
        let no = question.hidden.merging(["_decision": "deny"]) { $1 }
        let refused = try await browser.send(.post, browser.place, form: no)
        let ended = try await browser.notice(after: refused)
        #expect(ended.text.contains("Nothing was allowed"))
        #expect(try await scene.flows.get(flow.id, owner: Self.owner).state == .cancelled)
    }

    @Test("a link that was sent to somebody else is nobody's until its page was answered") func sentLink() async throws
    {
        let scene = try BrowserScene()
        var (flow, _, browser) = try await begun(scene)
        let form = ["_decision": "allow", "_csrf": "x"]
        #expect(try await browser.send(.post, browser.place, form: form).status == 403)
        let steps = ["username": "x@example.org", "password": "y", "_csrf": "x", "_submission": "s", "_step": "t"]
        #expect(try await browser.send(.post, browser.place, form: steps).headers[.location] == nil)
        #expect(try await scene.flows.get(flow.id, owner: Self.owner).rev == flow.rev)
        let question = try await browser.send(.get, browser.place)
        var other = TestBrowser(scene)
        other.place = browser.place
        let yes = question.hidden.merging(["_decision": "allow"]) { $1 }
        #expect(try await other.send(.post, other.place, form: yes).status == 403)
        #expect(try await browser.send(.post, browser.place, form: yes).status == 303)
        #expect(try await other.page().status == 404)
        #expect(try await other.send(.post, other.place, form: yes).status == 404)
        #expect(try await browser.page().status == 200)
    }

    @Test("of two browsers that were asked, the second to answer neither gets the flow nor ends it") func second()
        async throws
    {
        let scene = try BrowserScene()
        var (flow, _, browser) = try await begun(scene)
        var other = TestBrowser(scene)
        other.place = browser.place
        let yes = try await browser.send(.get, browser.place).hidden.merging(["_decision": "allow"]) { $1 }
        let asked = try await other.send(.get, other.place).hidden
        #expect(try await browser.send(.post, browser.place, form: yes).status == 303)
        for decision in ["allow", "deny"] {
            let answer = asked.merging(["_decision": decision]) { $1 }
            #expect(try await other.send(.post, other.place, form: answer).status == 404)
        }
        #expect(try await browser.page().status == 200)
        #expect(try await scene.flows.get(flow.id, owner: Self.owner).rev == flow.rev)
    }

    @Test("of browsers that take a flow at once one has it") func race() async throws {
        let scene = try BrowserScene()
        let place = try await begun(scene).2.place
        var ready: [(browser: TestBrowser, form: [String: String])] = []
        for _ in 0..<12 {
            var browser = TestBrowser(scene)
            let question = try await browser.send(.get, place)
            ready.append((browser, question.hidden.merging(["_decision": "allow"]) { $1 }))
        }
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for (browser, form) in ready {
                group.addTask {
                    var browser = browser
                    return try await browser.send(.post, place, form: form).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0 == 303 } == 1)
        #expect(answers.count { $0 == 404 } == 11)
    }

    @Test("who cancels on the page ends the flow of the terminal") func cancelled() async throws {
        let scene = try BrowserScene()
        var (flow, _, browser) = try await begun(scene)
        let question = try await browser.send(.get, browser.place)
        _ = try await browser.send(.post, browser.place, form: question.hidden.merging(["_decision": "allow"]) { $1 })
        #expect(try await browser.post(["_action": "cancel"]).location == "/local/notice?done=refused")
        #expect(try await scene.flows.get(flow.id, owner: Self.owner).state == .cancelled)
    }
}
