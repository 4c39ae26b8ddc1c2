import AuthorityStore
import FlowModel
import HTTPTypes
import OAuth
import TestSupport
import Testing

@testable import Flows

/// Tests that the request that completes a sign-in makes exactly two commits to the database.
///
/// The first commit records the answer and counts the attempt. The second commit writes everything else.
@Suite(.timeLimit(.minutes(1)))
struct SignInCommitsTests {
    private static let secure = "https://login.example"
    private static let answers = ["username": BrowserScene.email, "password": BrowserScene.password]

    /// Creates a scene with one user, and a counter of the scene's SQL statements.
    private func signedUp(_ base: String) async throws -> (BrowserScene, StatementCount) {
        let count = StatementCount()
        let scene = try count.opening { try BrowserScene(base: base) }
        var browser = TestBrowser(scene)
        try await browser.authorize()
        #expect(try await browser.signUp().reply["code"] != nil)
        return (scene, count)
    }

    /// Posts the answers, and returns the response and the numbers of write transactions and commits.
    private func written(
        _ answers: [String: String],
        _ browser: inout TestBrowser,
        _ count: StatementCount
    ) async throws -> (answer: BrowserScene.Answer, transactions: Int, commits: Int) {
        let page = try await browser.page()
        let before = (count(containing: "BEGIN IMMEDIATE"), try browser.scene.commits())
        let answer = try await browser.post(answers, from: page)
        return (
            answer, count(containing: "BEGIN IMMEDIATE") - before.0, try browser.scene.commits() - before.1
        )
    }

    @Test(
        "the request that signs in commits twice and yields a valid code; over https it also signs the browser in",
        arguments: ["http://localhost:8420", SignInCommitsTests.secure]
    )
    func twice(_ base: String) async throws {
        let (scene, count) = try await signedUp(base)
        var browser = TestBrowser(scene)
        try await browser.authorize()
        let (answer, transactions, commits) = try await written(Self.answers, &browser, count)
        let code = try #require(answer.reply["code"])
        #expect(transactions == 2 && commits == 2)
        if base == Self.secure {
            #expect(try await browser.authorize(["prompt": "none"]).reply["code"] != nil)
        }
        #expect(try await scene.redeem(code)["id_token"] != nil)
    }

    @Test("a request that creates an account commits twice", arguments: ["http://localhost:8420", secure])
    func account(_ base: String) async throws {
        let (scene, count) = try await signedUp(base)
        var browser = TestBrowser(scene)
        try await browser.authorize()
        _ = try await browser.post(["_action": "create"])
        let filled = ["email": "bob@example.org", "displayName": "Bob", "password": BrowserScene.password]
        #expect(try await browser.post(filled).status == 303)
        let mailed = try await scene.mailedCode()
        let (answer, transactions, commits) = try await written(["code": mailed], &browser, count)
        #expect(transactions == 2 && commits == 2)
        #expect(try await scene.redeem(try #require(answer.reply["code"]))["id_token"] != nil)
    }

    @Test("a sign-in at the account page, without a client, commits twice") func ownPage() async throws {
        let (scene, count) = try await signedUp(Self.secure)
        var browser = TestBrowser(scene)
        browser.place = try await browser.send(.get, "/local/account").location
        let (answer, transactions, commits) = try await written(Self.answers, &browser, count)
        #expect(answer.status == 303 && transactions == 2 && commits == 2)
        #expect(try await browser.send(.get, "/local/account").text.contains(BrowserScene.email))
    }

    @Test("before a consent no code is created, and the answer to the consent is one commit") func consent()
        async throws
    {
        let (scene, count) = try await signedUp(Self.secure)
        var browser = TestBrowser(scene)
        try await browser.authorize(["client_id": "web1", "redirect_uri": "https://web.example/cb"])
        let codes = count(containing: "INSERT INTO codes")
        #expect(try await browser.signIn().location == browser.place)
        #expect(count(containing: "INSERT INTO codes") == codes)
        let (answer, transactions, commits) = try await written(["allow": "true"], &browser, count)
        #expect(answer.reply["code"] != nil && transactions == 1 && commits == 1)
        #expect(count(containing: "INSERT INTO codes") == codes + 1)
    }

    @Test("a kill between the two commits costs only an attempt: the same answer signs in afterwards")
    func killed() async throws {
        let (scene, count) = try await signedUp(Self.secure)
        var browser = TestBrowser(scene)
        try await browser.authorize()
        let events = try await scene.store.audit.all(limit: 100)
        let given = ["INSERT INTO codes", "INSERT INTO sessions ", "UPDATE sessions", "UPDATE requests"]
        func written() -> [Int] { given.map { count(containing: $0) } }
        let before = written()
        // Makes only the first commit, as if the daemon were killed before the second commit.
        let row = try #require(try await scene.store.flows.open(after: "", limit: 10).first)
        let rows = scene.flows.engine.rows
        let stored = try rows.read(row)
        let (machine, step) = (try #require(stored.machine), try #require(stored.record.step))
        let answer = FlowEvent.submitted(
            step: stored.record.stepID(step.ordinal),
            id: "cut",
            answers: Self.answers.mapValues { .string($0) }
        )
        let next = machine.reduce(stored.record, answer, now: scene.clock.now)
        let work = try #require(next.evaluation)
        _ = try await rows.claim(next, evaluating: work, over: stored, Caller(owner: row.owner)).get()
        #expect(written() == before)
        #expect(try await scene.store.audit.all(limit: 100) == events)
        // After the time limit for evaluating the answer, another daemon prompts again.
        scene.clock.advance(by: FlowLimits.evaluation + .seconds(1))
        var other = TestBrowser(try scene.secondDaemon())
        (other.cookies, other.place) = (browser.cookies, browser.place)
        let page = try await other.page()
        #expect(page.status == 200 && page.text.contains("name=\"password\""))
        let signedIn = try await other.post(Self.answers, from: page)
        #expect(try await scene.redeem(try #require(signedIn.reply["code"]))["id_token"] != nil)
        #expect(try await other.authorize(["prompt": "none"]).reply["code"] != nil)
    }

    @Test("a final answer that is repeated with the new cookie gives the same code, and ends no session")
    func sentAgain() async throws {
        let (scene, _) = try await signedUp(Self.secure)
        var browser = TestBrowser(scene)
        try await browser.authorize()
        let page = try await browser.page()
        let first = try await browser.post(Self.answers, from: page)
        let again = try await browser.post(Self.answers, from: page)
        #expect(first.reply["code"] != nil && again.location == first.location)
        #expect(try await browser.authorize(["prompt": "none"]).reply["code"] != nil)
    }
}
