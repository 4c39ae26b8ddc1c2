import Foundation
import HTTPTypes
import OAuth
import TablesClient
import Testing

@Suite(.timeLimit(.minutes(1)))
struct InvokeAPITests {
    private struct Order: Codable, Equatable {
        var what: String
        var many: Int
    }

    @Test("JSON, text and bytes are sent with their content types") func bodies() async throws {
        try await LiveAPI.run { request, _ in
            .json("{}", .ok, ["X-Type": request.header("Content-Type") ?? "none"])
        } test: { api, address in
            try await TablesClient.with(address, token: Tokens().next) { client in
                try await client.invokeAPI("a", body: .json(["b": [1, 2]]))
                try await client.invokeAPI("a", method: .put, body: .text("ä"))
                try await client.invokeAPI("a", method: .patch, body: .data(Data([0x41])))
                try await client.invokeAPI("a", body: .data(Data([0x42]), contentType: "image/png"))
                try await client.invokeAPI("a", body: .encoding(Order(what: "milk", many: 2)))
                let answer = try await client.invokeAPI("a", method: .get)
                #expect(answer.headers["x-type"] == "none")
            }
            #expect(api.requests.map(\.method) == ["POST", "PUT", "PATCH", "POST", "POST", "GET"])
            let bodies = [#"{"b":[1,2]}"#, "ä", "A", "B", #"{"many":2,"what":"milk"}"#, ""]
            #expect(api.requests.map(\.body) == bodies)
            let types = [
                "application/json", "text/plain; charset=utf-8", "application/octet-stream", "image/png",
                "application/json", nil,
            ]
            #expect(api.requests.map { $0.header("Content-Type") } == types)
        }
    }

    @Test("parameters, path segments and header fields are sent as given") func address() async throws {
        try await LiveAPI.run { _, _ in
            .json("null")
        } test: { api, address in
            try await TablesClient.with(address, token: Tokens().next) { client in
                try await client.invokeAPI(
                    "orders/a b",
                    method: .delete,
                    parameters: ["k": "1", "k": "2 &", "ä": "="],
                    headers: ["Accept": "text/plain", "X-Own": "1"]
                )
            }
            let request = try #require(api.requests.first)
            #expect(request.target == "/api/orders/a%20b?k=1&k=2%20%26&%C3%A4=%3D")
            #expect(request.header("Accept") == "text/plain" && request.header("X-Own") == "1")
            #expect(request.header("ZUMO-API-VERSION") == "2.0.0")
        }
    }

    @Test("a response is JSON, a decoded value, text or bytes") func answers() async throws {
        try await LiveAPI.run { request, _ in
            request.method == "GET"
                ? .text("ä")
                : .json(#"{"what":"milk","many":2,"more":null}"#)
        } test: { _, address in
            try await TablesClient.with(address, token: Tokens().next) { client in
                let json = try await client.invokeAPI("a")
                #expect(json.json?["many"] == 2)
                #expect(try json.decoded(as: Order.self) == Order(what: "milk", many: 2))
                let text = try await client.invokeAPI("a", method: .get)
                #expect(text.text == "ä" && text.json == nil && text.body == Array("ä".utf8))
                let error = #expect(throws: TablesError.self) { try text.decoded(as: Order.self) }
                #expect(error?.code == .malformedAnswer)
            }
        }
    }

    @Test("a status outside 2xx throws an error with its response") func failures() async throws {
        try await LiveAPI.run { _, _ in
            .json(#"{"description":"no milk"}"#, .conflict)
        } test: { _, address in
            let error = await failure(address) { try await $0.invokeAPI("a") }
            #expect(error?.code == .conflict && error?.message == "no milk")
            #expect(error?.request?.url == "\(address)/api/a" && error?.response?.status == 409)
        }
    }

    @Test(
        "a name that leads to another path is not requested",
        arguments: ["", "/", "a/", "a//b", "..", "a/../b", "."]
    )
    func names(_ name: String) async throws {
        let address = try APIAddress("https://api.example")
        #expect(await failure(address) { try await $0.invokeAPI(name) }?.code == .invalidRequest)
    }

    @Test("a reserved parameter is rejected") func parameters() async throws {
        let address = try APIAddress("https://api.example")
        #expect(
            await failure(address) { try await $0.invokeAPI("a", parameters: ["$a": "b"]) }?.code == .invalidParameter
        )
    }
}
