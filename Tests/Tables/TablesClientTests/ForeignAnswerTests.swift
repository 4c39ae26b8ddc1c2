import HTTPTypes
import Hummingbird
import NIOCore
import OAuth
import Synchronization
import Tables
import TablesClient
import Testing

/// Tests of responses that do not come from the API, for example from a captive portal or from a proxy that cannot
/// reach the API.
@Suite(.timeLimit(.minutes(1)))
struct ForeignAnswerTests {
    /// The client's methods that send a request and check the form of its response.
    enum Call: String, CaseIterable, Sendable {
        case list, lookup, insert, update, delete, undelete, tasks, addTask, deleteTask, deleteTaskByText
        case typedLookup, typedUpdate, typedDelete, typedUndelete

        struct Task: Codable, Sendable {
            var id: String
            var text: String
        }

        func run(_ client: TablesClient) async throws {
            let (table, typed) = (client.table("todoitem"), client.table("todoitem", of: Task.self))
            let task = Task(id: "a", text: "milk")
            switch self {
            case .list: _ = try await table.all()
            case .lookup: _ = try await table.lookup("a")
            case .insert: try await table.insert(["text": "milk"], id: "a")
            case .update: try await table.update("a", ["text": "milk"])
            case .delete: try await table.delete("a")
            case .undelete: try await table.undelete("a")
            case .tasks: _ = try await client.tasks()
            case .addTask: try await client.addTask("milk")
            case .deleteTask: try await client.deleteTask(.random())
            case .deleteTaskByText: try await client.deleteTask(text: "milk")
            case .typedLookup: _ = try await typed.lookup("a")
            case .typedUpdate: try await typed.update(task)
            case .typedDelete: try await typed.delete(task)
            case .typedUndelete: try await typed.undelete(task)
            }
        }

        var isAboutOneRow: Bool {
            switch self {
            case .list, .tasks, .addTask, .deleteTask, .deleteTaskByText: false
            case .lookup, .insert, .update, .delete, .undelete, .typedLookup, .typedUpdate, .typedDelete,
                .typedUndelete:
                true
            }
        }
    }

    private static let page = "<!DOCTYPE html><title>Sign in to the network</title>"

    private func answer(_ status: Int, _ type: String?, _ body: String) -> Response {
        var fields: HTTPFields = [:]
        fields[.contentType] = type
        return Response(status: .init(code: status), headers: fields, body: .init(byteBuffer: ByteBuffer(string: body)))
    }

    private func error(_ call: Call, _ status: Int, _ type: String?, _ body: String) async throws -> TablesError? {
        let found = Mutex<TablesError?>(nil)
        try await LiveAPI.run { _, _ in
            answer(status, type, body)
        } test: { _, address in
            do {
                try await TablesClient.with(address, token: Tokens().next) { try await call.run($0) }
            } catch let error as TablesError {
                found.withLock { $0 = error }
            }
        }
        return found.withLock { $0 }
    }

    @Test("a page with status 200 is not a success of any request", arguments: Call.allCases) func page(
        _ call: Call
    ) async throws {
        for type in ["text/html; charset=utf-8", "application/json", nil] {
            let error = try await error(call, 200, type, Self.page)
            #expect(error?.code == .malformedAnswer, "\(type ?? "none")")
            #expect(error?.status == 200)
        }
    }

    @Test(
        "a success status that the request does not have is not a success",
        arguments: Call.allCases,
        [202, 203, 206]
    )
    func status(_ call: Call, _ status: Int) async throws {
        let body = #"{"id":"a","text":"milk","task":"milk"}"#
        #expect(try await error(call, status, "application/json", body)?.code == .malformedAnswer)
    }

    @Test(
        "a row other than the requested one is rejected",
        arguments: Call.allCases.filter(\.isAboutOneRow)
    )
    func anotherRow(_ call: Call) async throws {
        let body = #"{"id":"b","text":"milk"}"#
        #expect(try await error(call, 200, "application/json", body)?.code == .malformedAnswer)
        // An id that differs only in case is accepted, because some servers change the case of ids.
        #expect(try await error(call, 200, "application/json", #"{"id":"A","text":"milk"}"#) == nil)
    }

    @Test("a deletion accepts an empty response or the deleted row", arguments: [Call.delete, .typedDelete])
    func deletions(_ call: Call) async throws {
        #expect(try await error(call, 204, nil, "") == nil)
        #expect(try await error(call, 200, nil, "") == nil)
        for body in ["[]", "{}", "null", "true", #"{"ok":true}"#] {
            #expect(try await error(call, 200, "application/json", body)?.code == .malformedAnswer, "\(body)")
        }
    }

    @Test("only JSON from the API reports that a row does not exist", arguments: [404, 410])
    func notThere(_ status: Int) async throws {
        for (type, body) in [
            ("text/html", Self.page), ("text/plain", "404 page not found"), (nil, ""), ("application/json", ""),
            ("application/json", #"{"message":"no Route matched with those values"}"#),
        ]
            as [(String?, String)]
        {
            let error = try await error(.delete, status, type, body)
            #expect(error?.code == .malformedAnswer && error?.status == status, "\(type ?? "none")")
        }
        let own = try await error(.delete, status, "application/json", #"{"error":"The item does not exist"}"#)
        #expect(own?.code == (status == 404 ? .notFound : .gone))
    }

    @Test("a page is not an error response of the API", arguments: [302, 400, 403, 405, 409, 412, 413, 422])
    func conflicts(
        _ status: Int
    ) async throws {
        #expect(try await error(.update, status, "text/html", Self.page)?.code == .malformedAnswer)
        let bare = try #require(try await error(.update, status, nil, ""))
        #expect(bare.code != .malformedAnswer && bare.status == status)
    }

    @Test("a page as the response to a sign-out means that it did not reach the API") func signOut() async throws {
        try await LiveAPI.run { request, _ in
            request.target.hasSuffix("/logout")
                ? answer(200, "text/html", Self.page)
                : .json(#"{"authenticationToken":"t","user":{"userId":"u"}}"#)
        } test: { _, address in
            let error = await failure(address) { client in
                try await client.login(provider: "aad", token: .idToken(Secret("x")))
                try await client.logout()
            }
            #expect(error?.code == .malformedAnswer)
        }
    }
}
