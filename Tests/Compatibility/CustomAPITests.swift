import OAuth
import Testing

extension Compatibility {
    /// Tests of the routes under `/api/…` that are built into the server.
    @Suite struct CustomAPIs {
        @Test("GET, POST and DELETE call an API by its name, with a JSON body") func tasks() async throws {
            let client = try Server.here().client(as: "api-caller")
            let posted = try await client.invokeAPI("tasks", body: ["task": "call by name"])
            #expect(posted.status == 201 && posted["Content-Type"]?.contains("json") == true, "\(posted.text)")
            let id = try #require(posted.json["id"]?.string)
            let list = try await client.invokeAPI("tasks", method: "GET")
            #expect(list.json.array?.contains { $0["task"] == "call by name" } == true)
            #expect(try await client.invokeAPI("tasks/\(id)", method: "DELETE").status == 204)
        }

        @Test("custom parameters and fields are ignored") func parameters() async throws {
            let client = try Server.here().client(as: "api-caller")
            let answer = try await client.invokeAPI(
                "tasks",
                method: "GET",
                parameters: [("x", "6"), ("latin", "Łåţıñ"), ("arabic", "القطة")],
                fields: [("x-test-zumo-first", "header value")]
            )
            #expect(answer.status == 200 && answer.json.array != nil)
        }

        @Test("a response is text if the client requests text") func text() async throws {
            let client = try Server.here().client(as: "api-caller", scopes: "tasks.read accessRestricted")
            let json = try await client.invokeAPI("balance", method: "GET")
            #expect(json.json["balance"]?.string != nil, "\(json.status) \(json.text)")
            let text = try await client.invokeAPI("balance", method: "GET", fields: [("accept", "text/plain")])
            #expect(text["Content-Type"]?.hasPrefix("text/plain") == true && text.text == json.json["balance"]?.string)
        }

        @Test(
            "a body that is a list or empty is rejected with a message",
            arguments: [[], [:], [1, false, 2]] as [JSONValue]
        )
        func bodies(_ body: JSONValue) async throws {
            let answer = try await Server.here().client(as: "api-caller").invokeAPI("tasks", body: body)
            #expect(answer.status == 400 && answer.json["error"]?.string?.isEmpty == false, "\(answer.text)")
        }

        @Test("a missing API is 404, and a missing method is 404 or 405") func absent() async throws {
            let client = try Server.here().client(as: "api-caller")
            #expect(try await client.invokeAPI("absent").status == 404)
            let status = try await client.invokeAPI("tasks", method: "PUT", body: [:]).status
            #expect(status == 404 || status == 405)
        }

        @Test("APIs require a token like tables") func unauthenticated() async throws {
            #expect(try await Server.here().client.invokeAPI("tasks", method: "GET").status == 401)
        }
    }

    /// Tests of a hook that receives the parameters of requests.
    @Suite struct Hooks {
        private static let parameters = [
            ("item", "simple"), ("empty", ""), ("spaces", "with spaces"),
            ("special", "`!@#$%^&*()-=[]\\;',./~_+{}|:\"<>?"),
            ("latin", "ça été"), ("arabic", "القطة على السجادة"), ("chinese", "猫在垫子上"), ("japanese", "猫はマットの上に"),
            ("hebrew", "החתול על השטיח"), ("russian", "кошка на коврике"),
            ("name+with special&chars", "should just work"),
        ]

        @Test("parameters of an insert and of an update reach the hook unchanged") func writes() async throws {
            let table = try Server.here().client.table("ParamsTestTable")
            let expected = JSONValue.object(
                Dictionary(uniqueKeysWithValues: Self.parameters.map { ($0.0, .string($0.1)) })
            )
            let inserted = try await table.insert(["string1": "hello"], Self.parameters)
            #expect(inserted.status == 201, "\(inserted.text)")
            #expect(Self.json(inserted.json["parameters"]) == expected)
            let updated = try await table.update(
                ["id": inserted.json["id"] ?? nil, "string1": "hello"],
                Self.parameters
            )
            #expect(Self.json(updated.json["parameters"]) == expected)
        }

        @Test("parameters of a look-up, a list and a deletion reach the hook, which may refuse") func refusals()
            async throws
        {
            let table = try Server.here().client.table("ParamsTestTable")
            let id = try #require(try await table.insert(["string1": "x"]).json["id"])
            let refuse = [("refuse", "yes")]
            let answers = [
                try await table.lookUp(id, refuse), try await table.read("", refuse),
                try await table.delete(["id": id], refuse),
                try await table.insert(["string1": "y"], refuse),
            ]
            for answer in answers {
                #expect(answer.status == 400 && answer.json["error"] == "The hook says no.", "\(answer.text)")
            }
            #expect(try await table.lookUp(id, Self.parameters).status == 200)
            #expect(try await table.delete(["id": id], Self.parameters).status == 200)
        }

        private static func json(_ value: JSONValue?) -> JSONValue? {
            value?.string.flatMap { try? StrictJSON.parse(Array($0.utf8)) }
        }
    }
}
