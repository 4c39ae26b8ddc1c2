import HTTPTypes
import OAuth
import Synchronization
import Tables
import TablesClient
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RequestFilterTests {
    @Test("filters see requests in the order of registration, and responses in reverse order")
    func order() async throws {
        let seen = Mutex<[String]>([])
        func filter(_ name: String) -> RequestFilter {
            { request, next in
                seen.withLock { $0.append(name) }
                defer { seen.withLock { $0.append("/" + name) } }
                var request = request
                request.headers.add("X-Way", name)
                return try await next(request)
            }
        }
        let (first, second, third) = (filter("1"), filter("2"), filter("3"))
        try await LiveAPI.run { _, _ in
            .json("[]")
        } test: { api, address in
            let client = TablesClient(address, filters: [first, second], token: Tokens().next)
            _ = try await client.filtered(by: third).list("todoitem")
            try await client.close()
            #expect(seen.withLock { $0 } == ["1", "2", "3", "/3", "/2", "/1"])
            let way = try #require(HTTPField.Name("X-Way"))
            #expect(api.requests.first?.headers[values: way] == ["1", "2", "3"])
        }
    }

    @Test("a filter that does not call next responds without a network and without a token")
    func instead() async throws {
        let address = try APIAddress("https://api.example")
        let filter: RequestFilter = { request, _ in
            #expect(request.headers["Authorization"] == nil)
            return TablesResponse(json: [["id": "a", "text": .string("\(request.method.rawValue) \(request.path)")]])
        }
        let rows = try await TablesClient.with(
            address,
            filters: [filter],
            token: { _ in throw CancellationError() },
            { try await $0.list("todoitem") }
        )
        #expect(rows.first?["text"] == "GET /tables/todoitem")
    }

    @Test("a filter's response is read like the API's") func failing() async throws {
        let address = try APIAddress("https://api.example")
        let filter: RequestFilter = { _, _ in
            TablesResponse(status: 412, headers: ["ETag": "\"djI=\""], json: ["id": "a", "text": "theirs"])
        }
        let error = await #expect(throws: TablesError.self) {
            try await TablesClient.with(address, filters: [filter]) { try await $0.table("todoitem").update("a", [:]) }
        }
        #expect(error?.code == .preconditionFailed && error?.row?.version == RowVersion("djI="))
        #expect(error?.request?.method == .patch && error?.response?.status == 412)
    }

    @Test("a filter's error reaches the caller unchanged") func throwing() async throws {
        struct Mine: Error {}
        let address = try APIAddress("https://api.example")
        await #expect(throws: Mine.self) {
            try await TablesClient.with(address, filters: [{ _, _ in throw Mine() }]) { try await $0.tasks() }
        }
    }

    @Test(
        "a filter cannot lead the token to another host",
        arguments: [
            "http://localhost:PORT/tables/a", "https://127.0.0.1:PORT/", "http://127.0.0.1:1/tables/a",
            "http://127.0.0.1/", "//127.0.0.1:PORT/", "http://u@127.0.0.1:PORT/", "http://127.0.0.1:PORT@api.example/",
            "http://127.0.0.1:PORT/a b", "http://127.0.0.1:PORT/\r\nX: y", "nonsense", "",
        ]
    )
    func foreign(_ template: String) async throws {
        let tokens = Tokens()
        try await LiveAPI.run { _, _ in
            .json("[]")
        } test: { api, address in
            let port = address.description.split(separator: ":").last.map(String.init) ?? ""
            let client = TablesClient(address, token: tokens.next).filtered { request, next in
                var request = request
                request.url = template.replacing("PORT", with: port)
                return try await next(request)
            }
            let error = await #expect(throws: TablesError.self) { try await client.list("todoitem") }
            try await client.close()
            #expect(error?.code == .invalidRequest)
            #expect(api.requests.isEmpty && tokens.refreshes.isEmpty)
        }
    }

    @Test("a header field with a line break is not sent", arguments: [("X-A", "b\r\nX-C: d"), ("X A", "b"), ("", "b")])
    func fields(_ name: String, _ value: String) async throws {
        try await LiveAPI.run { _, _ in
            .json("[]")
        } test: { api, address in
            let error = await failure(address) {
                try await $0.invokeAPI("a", headers: HeaderFields(dictionaryLiteral: (name, value)))
            }
            #expect(error?.code == .invalidRequest && api.requests.isEmpty)
        }
    }

    @Test("bodies and URLs beyond their limits are not sent") func limits() async throws {
        var limits = TablesClientLimits()
        limits.request = 64
        limits.address = 256
        let long = String(repeating: "x", count: 256)
        try await LiveAPI.run { _, _ in
            .json("[]")
        } test: { [limits] api, address in
            let body = await failure(address, limits) { try await $0.insert("todoitem", ["text": .string(long)]) }
            #expect(body?.code == .invalidRequest && body?.message.contains("64 bytes") == true)
            let query = await failure(address, limits) {
                try await $0.table("todoitem").all(Query().parameter("a", long))
            }
            #expect(query?.code == .invalidRequest && query?.message.contains("256 bytes") == true)
            #expect(api.requests.isEmpty)
        }
    }
}
