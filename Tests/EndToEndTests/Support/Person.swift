import OAuth
import Testing

/// A user that signs up and signs in over the socket.
struct Person {
    let email: String
    let name: String
    var password = "Correct-horse-7"

    static func random() -> Person {
        let number = UInt32.random(in: 0 ... .max)
        return Person(email: "p\(number)@example.org", name: "Person \(number)")
    }

    /// Starts a sign-up and answers its first step.
    ///
    /// - Returns: The flow, which waits for the mailed code.
    func beginSignUp(_ connection: Connection) throws -> JSONValue {
        let started = try connection.call(
            "flow.start",
            ["policy": "b2c_1_sign_up", "requestId": .string("up-\(UInt64.random(in: 0 ... .max))")]
        )
        let flow = try #require(started["flow"])
        let answered = try connection.submit(
            flow,
            [
                "email": .string(email), "displayName": .string(name), "city": "Oslo", "extension_team": "red",
                "password": .string(password),
            ]
        )
        #expect(answered["verdict"]?.string == "next")
        return try #require(answered["flow"])
    }

    /// Signs up, and submits the mailed code.
    func signUp(_ connection: Connection, on machine: Machine) throws {
        let flow = try beginSignUp(connection)
        try endSignUp(flow, code: machine.code(for: email), connection)
    }

    /// Submits the mailed code, which completes a sign-up.
    func endSignUp(_ flow: JSONValue, code: String, _ connection: Connection) throws {
        let done = try connection.submit(flow, ["code": .string(code)])
        #expect(done["verdict"]?.string == "accepted")
        #expect(done["flow"]?["state"]?.string == "succeeded")
    }

    /// Signs in with the password.
    ///
    /// - Returns: The `verdict` of the response.
    func signIn(_ connection: Connection) throws -> String? {
        let started = try connection.call(
            "flow.start",
            ["policy": "b2c_1_sign_in", "requestId": .string("in-\(UInt64.random(in: 0 ... .max))")]
        )
        let flow = try #require(started["flow"])
        let answers: JSONValue = ["username": .string(email), "password": .string(password)]
        return try connection.submit(flow, answers)["verdict"]?.string
    }

    /// Acquires a token for the tasks API without a prompt.
    func token(_ connection: Connection, _ extra: JSONValue = [:]) throws -> JSONValue {
        var params: [String: JSONValue] = ["scopes": ["tasks.read", "tasks.write"], "prompt": "none"]
        params.merge(extra.object ?? [:]) { $1 }
        let answer = try connection.call("token.acquire", .object(params))
        #expect(answer["kind"]?.string == "token")
        return try #require(answer["token"])
    }
}

extension Connection {
    /// Answers the current step of `flow`.
    func submit(_ flow: JSONValue, _ answers: JSONValue, submission: String? = nil) throws -> JSONValue {
        try call("flow.submit", Connection.submission(flow, answers, submission: submission))
    }

    /// Returns the parameters of `flow.submit` that answer the current step of `flow`.
    static func submission(_ flow: JSONValue, _ answers: JSONValue, submission: String? = nil) -> JSONValue {
        [
            "flow": flow["id"] ?? .null, "step": flow["step"]?["id"] ?? .null,
            "submissionId": .string(submission ?? "s-\(UInt64.random(in: 0 ... .max))"), "answers": answers,
        ]
    }
}
