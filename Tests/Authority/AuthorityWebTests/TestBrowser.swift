import HTTPTypes
import OAuth
import Testing

/// A browser that stores cookies and the address of one flow.
struct TestBrowser {
    let scene: BrowserScene
    var cookies: [String: String] = [:]
    /// The address of the flow's pages.
    var place = ""
    /// The last byte of the browser's IP address, `198.51.100.ADDRESS`.
    var address: UInt8 = 7
    /// The uid that the kernel reports for the browser, or `nil` if the browser is remote.
    var uid: UInt32?

    init(_ scene: BrowserScene) {
        self.scene = scene
    }

    private var field: String? {
        cookies.isEmpty ? nil : cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
    }

    private mutating func keep(_ answer: BrowserScene.Answer) {
        for field in answer.headers[values: .setCookie] {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            cookies[pair[0]] = pair.count == 2 && !field.contains("Max-Age=0") ? pair[1] : nil
        }
    }

    /// Sends a request with the browser's cookies, and stores the cookies of the response.
    mutating func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        form: [String: String]? = nil,
        headers: HTTPFields = [:]
    ) async throws -> BrowserScene.Answer {
        let answer = try await scene.send(
            method,
            path,
            form: form,
            cookies: field,
            headers: headers,
            from: address,
            uid: uid
        )
        keep(answer)
        return answer
    }

    /// Follows the redirect from a form to a notice, loads the notice twice, and expects the same page both times.
    mutating func notice(after answer: BrowserScene.Answer) async throws -> BrowserScene.Answer {
        #expect(answer.status == 303 && answer.location.hasPrefix("/local/notice?done="), "\(answer.location)")
        let first = try await send(.get, answer.location)
        let again = try await send(.get, answer.location)
        #expect(first.status == 200 && first.hidden.isEmpty && again.text == first.text)
        return again
    }

    /// Sends an authorization request, and stores the address of the flow that the request starts.
    @discardableResult
    mutating func authorize(
        _ changes: [String: String?] = [:],
        path: String = "/local/\(BrowserScene.policy)/oauth2/v2.0/authorize"
    ) async throws -> BrowserScene.Answer {
        let answer = try await scene.authorize(changes, path: path, cookies: field, from: address, uid: uid)
        keep(answer)
        if answer.location.hasPrefix("/") { place = answer.location }
        return answer
    }

    /// Loads the page of the flow.
    func page() async throws -> BrowserScene.Answer {
        try await scene.send(.get, place, cookies: field, from: address, uid: uid)
    }

    /// Loads the flow's page, and posts its form with these answers.
    mutating func post(_ answers: [String: String], headers: HTTPFields = [:]) async throws -> BrowserScene.Answer {
        try await post(answers, from: try await page(), headers: headers)
    }

    /// Posts the form of a page that was loaded before.
    mutating func post(
        _ answers: [String: String],
        from page: BrowserScene.Answer,
        headers: HTTPFields = [:]
    ) async throws -> BrowserScene.Answer {
        let form = page.hidden.merging(answers) { $1 }
        let answer = try await scene.send(
            .post,
            place,
            form: form,
            cookies: field,
            headers: headers,
            from: address,
            uid: uid
        )
        keep(answer)
        return answer
    }

    /// Creates an account on the pages of the open flow.
    mutating func signUp(_ email: String = BrowserScene.email) async throws -> BrowserScene.Answer {
        _ = try await post(["_action": "create"])
        let filled = try await post(["email": email, "displayName": "Ada", "password": BrowserScene.password])
        #expect(filled.status == 303)
        return try await post(["code": try await scene.mailedCode()])
    }

    /// Answers the password step.
    mutating func signIn(
        _ email: String = BrowserScene.email,
        _ password: String = BrowserScene.password
    ) async throws -> BrowserScene.Answer {
        try await post(["username": email, "password": password])
    }
}
