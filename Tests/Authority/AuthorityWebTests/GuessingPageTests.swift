import AuthorityStore
import Credentials
import HTTPTypes
import OAuth
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct GuessingPageTests {
    /// The last bytes of the addresses from which guesses are sent.
    ///
    /// The user signed up from another address.
    private static let places: [UInt8] = [11, 12, 13, 14, 15, 16, 17]

    private func scene() async throws -> BrowserScene {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        _ = try await browser.signUp()
        return scene
    }

    /// Posts `count` different wrong passwords concurrently, each in a separate flow.
    ///
    /// The flows are distributed evenly over `addresses`.
    ///
    /// - Returns: The number of passwords that were checked.
    private func storm(_ scene: BrowserScene, from addresses: [UInt8], of count: Int = 28) async throws -> Int {
        let before = scene.hasher.computations
        var ready: [(TestBrowser, BrowserScene.Answer)] = []
        for number in 0..<count {
            var browser = TestBrowser(scene)
            browser.address = addresses[number % addresses.count]
            try await browser.authorize()
            ready.append((browser, try await browser.page()))
        }
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for (number, (browser, page)) in ready.enumerated() {
                group.addTask {
                    var browser = browser
                    let answers = ["username": BrowserScene.email, "password": "Wrong-horse-\(number)"]
                    return try await browser.post(answers, from: page).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // The status is 303 while attempts are left, and 429 afterwards.
        #expect(statuses.allSatisfy { $0 == 303 || $0 == 429 }, "\(statuses)")
        return scene.hasher.computations - before
    }

    /// Posts the right password from an address, and returns the response.
    private func signIn(_ scene: BrowserScene, from address: UInt8) async throws -> BrowserScene.Answer {
        var browser = TestBrowser(scene)
        browser.address = address
        try await browser.authorize()
        return try await browser.signIn()
    }

    @Test("of 28 concurrent wrong passwords from one address three are checked, and another address is not affected")
    func onePlace() async throws {
        let scene = try await scene()
        #expect(try await storm(scene, from: [11]) == 3)
        #expect(try await signIn(scene, from: 11).status == 429)
        #expect(try await signIn(scene, from: 12).reply["code"] != nil)
    }

    @Test(
        "of 28 concurrent wrong passwords from seven addresses at most three each and twenty in all are checked"
    )
    func sevenPlaces() async throws {
        let scene = try await scene()
        #expect(try await storm(scene, from: Self.places) == 20)
        // The name is now blocked for unknown origins, but not for the user's own origin.
        let rest = scene.hasher.computations
        #expect(try await signIn(scene, from: 18).status == 429)
        #expect(scene.hasher.computations == rest)
        #expect(try await signIn(scene, from: 7).reply["code"] != nil)
        // The origins send their answers one after another, so that the checked answers of each origin can be counted.
        let other = try await self.scene()
        var looked: [Int] = []
        for place in Self.places { looked.append(try await storm(other, from: [place], of: 4)) }
        #expect(looked == [3, 3, 3, 3, 3, 3, 2])
    }

    @Test(
        "while a name is blocked, a right answer, a wrong one and an unknown name cost no hash and equal commits"
    )
    func blockedCost() async throws {
        let scene = try await scene()
        let nobody = "bob@example.org"
        for name in [BrowserScene.email, nobody] {
            for number in 1...3 {
                var other = TestBrowser(scene)
                try await other.authorize()
                _ = try await other.signIn(name, "Wrong-horse-\(number)")
            }
        }
        var costs: [[Int]] = []
        for (name, password) in [
            (BrowserScene.email, BrowserScene.password), (BrowserScene.email, "Wrong-horse-8"),
            (nobody, "Wrong-horse-8"),
        ] {
            var other = TestBrowser(scene)
            try await other.authorize()
            let page = try await other.page()
            let (hashes, commits) = (scene.hasher.computations, try scene.commits())
            let answer = try await other.post(["username": name, "password": password], from: page)
            #expect(answer.status == 429, "\(name)")
            costs.append([scene.hasher.computations - hashes, try scene.commits() - commits])
        }
        #expect(Set(costs).count == 1 && costs[0][0] == 0 && costs[0][1] > 0, "\(costs)")
    }

    @Test(
        "while the password is blocked, a mailed code signs the user in, who can set a password that works at once"
    )
    func resetWhileBlocked() async throws {
        let scene = try await scene()
        for number in 1...3 {
            var other = TestBrowser(scene)
            try await other.authorize()
            _ = try await other.signIn(BrowserScene.email, "Wrong-horse-\(number)")
        }
        #expect(try await signIn(scene, from: 7).status == 429)
        var browser = TestBrowser(scene)
        try await browser.authorize()
        #expect(try await browser.post(["_action": "forgot"]).location == browser.place)
        #expect(try await browser.post(["username": BrowserScene.email]).location == browser.place)
        // The password is still blocked. Only the mailed code signs the user in.
        #expect(try await signIn(scene, from: 7).status == 429)
        #expect(try await browser.post(["code": try await scene.mailedCode()]).location == browser.place)
        #expect(try await browser.post(["newPassword": "Another-horse-8"]).reply["code"] != nil)
        var later = TestBrowser(scene)
        try await later.authorize()
        #expect(try await later.signIn(BrowserScene.email, "Another-horse-8").reply["code"] != nil)
    }
}
