import HTTPTypes
import Hummingbird
import NIOCore
import OAuth
import Tables
import TablesClient
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TablesErrorTests {
    @Test(
        "every status has its code",
        arguments: [
            (400, TablesError.Code.refused), (401, .unauthorized), (403, .forbidden), (404, .notFound), (405, .refused),
            (409, .conflict), (410, .gone), (412, .preconditionFailed), (413, .refused), (421, .refused),
            (422, .keyReused), (429, .busy),
            (500, .serverFailed), (501, .serverFailed), (503, .busy),
        ]
    )
    func statuses(_ status: Int, _ code: TablesError.Code) async throws {
        try await LiveAPI.run { _, _ in
            [404, 410].contains(status)
                ? .json(#"{"error":"The API responded with \#(status)."}"#, .init(code: status))
                : Response(status: .init(code: status))
        } test: { _, address in
            let error = await failure(address) { try await $0.list("todoitem") }
            #expect(error?.code == code)
            #expect(error?.status == status)
            #expect(error?.message == "The API responded with \(status).")
        }
    }

    @Test("a violated rule names its column and has the API's message") func column() async throws {
        let body = #"{"code":400,"error":"'text' is required\u001b[2J","column":"text"}"#
        try await LiveAPI.run { request, _ in
            let id = request.header("client-request-id") ?? ""
            return .json(body, .badRequest, ["client-request-id": id])
        } test: { api, address in
            let error = await failure(address) { try await $0.insert("todoitem", [:]) }
            #expect(error?.message == "'text' is required [2J")
            #expect(error?.column == "text")
            #expect(error?.answer?["code"]?.int == 400)
            #expect(error?.correlationID?.description == api.requests.first?.header("client-request-id"))
        }
    }

    @Test(
        "a conflict contains the server's row",
        arguments: [(409, TablesError.Code.conflict), (412, .preconditionFailed)]
    )
    func row(_ status: Int, _ code: TablesError.Code) async throws {
        let row = #"{"id":"a","text":"theirs","version":"djI="}"#
        try await LiveAPI.run { _, _ in
            .json(row, .init(code: status), ["ETag": "\"djI=\""])
        } test: { _, address in
            let id = try #require(RowID("a"))
            let error = await failure(address) { try await $0.update("todoitem", id, [:], ifMatch: RowVersion("djE=")) }
            #expect(error?.code == code)
            #expect(error?.row?.values == ["text": .string("theirs")])
            #expect(error?.row?.version == RowVersion("djI="))
        }
    }

    @Test("several tasks with the same text are a conflict that names their ids") func several() async throws {
        try await LiveAPI.run { _, _ in
            .json(#"{"code":409,"error":"several","ids":["a","b"]}"#, .conflict)
        } test: {
            _,
            address in
            let error = await failure(address) { try await $0.deleteTask(text: "milk") }
            #expect(error?.code == .conflict)
            #expect(error?.row == nil)
            #expect(error?.answer?["ids"]?.strings == ["a", "b"])
        }
    }

    @Test("a busy API names the time to wait") func busy() async throws {
        try await LiveAPI.run { _, _ in
            .json("{}", .serviceUnavailable, ["Retry-After": "7"])
        } test: { _, address in
            #expect(await failure(address) { try await $0.tasks() }?.retryAfter == .seconds(7))
        }
    }

    @Test("a redirect is not followed, so the token is not sent to another URL") func redirect() async throws {
        try await LiveAPI.run { _, _ in
            .json("[]")
        } test: { other, elsewhere in
            try await LiveAPI.run { _, _ in
                Response(status: .temporaryRedirect, headers: [.location: "\(elsewhere)/tables/todoitem"])
            } test: { api, address in
                #expect(await failure(address) { try await $0.list("todoitem") }?.code == .redirected)
                #expect(api.requests.count == 1)
            }
            #expect(other.requests.isEmpty)
        }
    }

    @Test(
        "a response that does not follow the protocol is rejected",
        arguments: [
            "", "null", "{}", "[{}]", "[{\"id\":\"\"}]", "[{\"id\":\"a\",\"text\":[]}]", "[",
            "[{\"id\":\"a\",\"id\":\"b\"}]",
            "[{\"id\":true}]",
        ]
    )
    func malformed(_ body: String) async throws {
        try await LiveAPI.run { _, _ in
            .json(body)
        } test: { _, address in
            let error = await failure(address) { try await $0.list("todoitem") }
            #expect(error?.code == .malformedAnswer)
            #expect(error?.correlationID != nil)
        }
    }

    @Test("a response larger than the limit is rejected") func tooLarge() async throws {
        let large = "[\"" + String(repeating: "x", count: TablesClientLimits().answer) + "\"]"
        try await LiveAPI.run { _, _ in
            .json(large)
        } test: { _, address in
            #expect(await failure(address) { try await $0.list("todoitem") }?.code == .tooLarge)
        }
    }

    @Test("a response that does not arrive times out, before its head and inside its body")
    func timeout() async throws {
        var limits = TablesClientLimits()
        limits.whole = .seconds(10)
        try await LiveAPI.run { _, count in
            let (never, source) = AsyncStream.makeStream(of: Void.self)
            defer { _ = source }
            if count == 1 { for await _ in never {} }
            return Response(
                status: .ok,
                headers: [.contentType: "application/json"],
                body: .init { writer in
                    try await writer.write(ByteBuffer(string: "["))
                    for await _ in never {}
                    withExtendedLifetime(source) {}
                    try await writer.finish(nil)
                }
            )
        } test: { [limits] _, address in
            // The two requests run concurrently, because each lasts until its time limit.
            async let first = failure(address, limits) { try await $0.list("todoitem") }
            async let second = failure(address, limits) { try await $0.list("todoitem") }
            for error in await [first, second] {
                #expect(error?.code == .timedOut)
                #expect(error?.correlationID != nil)
                #expect(error?.underlying != nil)
            }
        }
    }

    @Test("a URL without a server is unreachable") func unreachable() async throws {
        let address = try APIAddress("http://127.0.0.1:\(freePort())")
        let error = await failure(address) { try await $0.list("todoitem") }
        #expect(error?.code == .unreachable)
        #expect(error?.status == nil)
    }

    @Test("a cancelled task cancels its request") func cancelled() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        try await LiveAPI.run { _, _ in
            arrived.finish()
            let (never, source) = AsyncStream.makeStream(of: Void.self)
            for await _ in never {}
            return withExtendedLifetime(source) { .json("[]") }
        } test: { _, address in
            let task = Task {
                try await TablesClient.with(address, token: Tokens().next) { _ = try await $0.list("todoitem") }
            }
            for await _ in arrivals {}
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
