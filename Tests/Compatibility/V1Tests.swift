import OAuth
import Testing

extension Compatibility {
    /// Tests of a table that uses the protocol of Azure Mobile Services, the predecessor of Azure Mobile Apps.
    @Suite struct FirstVersion {
        private let fields = [("X-ZUMO-APPLICATION", Server.applicationKey)]

        private func send(
            _ method: String,
            _ target: String,
            _ body: String? = nil,
            _ more: [(String, String)] = []
        ) async throws -> Answer {
            let port = try Server.here().port
            let type = body == nil ? [] : [("Content-Type", "application/json")]
            let all =
                [("Host", "127.0.0.1:\(port)"), ("X-ZUMO-VERSION", "ZUMO/1.2 (lang=Web; version=1.2.7)")] + fields
                + type + more
            return try await Wire.exchange(
                port: port,
                method,
                JavaScriptClient.asBrowser("/tables/v1Table" + target),
                all,
                body: body.map { Array($0.utf8) }
            )
        }

        private func inserted(_ options: String = "") async throws -> Answer {
            let answer = try await send("POST", options, #"{"name":"x","number":1}"#)
            try #require(answer.status == 201, "\(answer.text)")
            return answer
        }

        private func names(_ row: JSONValue?) -> Set<String> {
            Set((row?.object ?? [:]).keys.filter { $0.hasPrefix("__") })
        }

        @Test("an insert is 201 with the row's URL") func location() async throws {
            let answer = try await inserted()
            let id = answer.json["id"]?.string ?? ""
            #expect(answer["Location"]?.hasSuffix("/tables/v1Table/\(id)") == true, "\(answer["Location"] ?? "none")")
        }

        @Test("system columns are returned only on request") func none() async throws {
            let row = try await inserted()
            #expect(names(row.json).isEmpty && row.json["createdAt"] == nil && row.json["version"] == nil)
            let id = row.json["id"]?.string ?? ""
            #expect(names(try await send("GET", "/\(id)").json).isEmpty)
            #expect(names(try await send("GET", "?$top=1").json.array?.first).isEmpty)
        }

        @Test(
            "system columns are returned by name, in any case and with any blanks",
            arguments: [
                ("*", ["__createdAt", "__updatedAt", "__version", "__deleted"]), ("__createdAt", ["__createdAt"]),
                ("createdAt", ["__createdAt"]), ("__createdAt,__updatedAt", ["__createdAt", "__updatedAt"]),
                (" VERSION , createdat ", ["__version", "__createdAt"]),
                ("__deleted,__version", ["__deleted", "__version"]),
            ]
        )
        func asked(_ words: String, _ expected: [String]) async throws {
            let option = "__systemproperties=" + JavaScriptClient.component(words)
            let inserted = try await inserted("?\(option)")
            #expect(names(inserted.json) == Set(expected), "\(inserted.text)")
            let id = inserted.json["id"]?.string ?? ""
            #expect(names(try await send("GET", "/\(id)?\(option)").json) == Set(expected))
            #expect(names(try await send("GET", "?$top=1&\(option)").json.array?.first) == Set(expected))
            #expect(names(try await send("PATCH", "/\(id)?\(option)", #"{"name":"y"}"#).json) == Set(expected))
            let upper = "__SystemProperties=" + JavaScriptClient.component(words)
            #expect(names(try await send("GET", "/\(id)?\(upper)").json) == Set(expected))
        }

        @Test(
            "unknown system columns are rejected",
            arguments: ["created", "_version", "createdAt updatedAt"]
        )
        func unknown(_ words: String) async throws {
            let answer = try await send("GET", "?__systemproperties=" + JavaScriptClient.component(words))
            #expect(answer.status == 400 && answer.json["code"] == 400, "\(answer.text)")
        }

        @Test("rows are sorted and found by system columns with their prefixed names") func queries() async throws {
            let row = try await inserted("?__systemproperties=*")
            let since = row.json["__updatedAt"]?.string ?? ""
            let answer = try await send(
                "GET",
                "?$filter=(__updatedAt ge datetimeoffset'\(since)')&$orderby=__updatedAt&__includeDeleted=true&__systemproperties=__deleted,__version,__updatedAt"
            )
            #expect(answer.status == 200 && answer.json.array?.first?["id"] == row.json["id"], "\(answer.text)")
            #expect(answer.json.array?.first?["__deleted"] == false)
        }

        @Test("If-Match, 412 with the row, and a deletion that is 204 without a body") func versions() async throws {
            let row = try await inserted("?__systemproperties=__version")
            let id = row.json["id"]?.string ?? ""
            let tag = row["ETag"] ?? ""
            #expect(tag == "\"\(row.json["__version"]?.string ?? "")\"")
            let updated = try await send(
                "PATCH",
                "/\(id)?__systemproperties=__version",
                #"{"name":"y"}"#,
                [("If-Match", tag)]
            )
            #expect(updated.status == 200 && updated["ETag"] != tag)
            let stale = try await send(
                "PATCH",
                "/\(id)?__systemproperties=__version",
                #"{"name":"z"}"#,
                [("If-Match", tag)]
            )
            #expect(
                stale.status == 412 && stale.json["name"] == "y" && stale.json["__version"] == updated.json["__version"]
            )
            #expect(try await send("DELETE", "/\(id)", nil, [("If-Match", tag)]).status == 412)
            let deleted = try await send("DELETE", "/\(id)")
            #expect(deleted.status == 204 && deleted.body.isEmpty)
            #expect(try await send("GET", "/\(id)").status == 404)
            #expect(try await send("PATCH", "/\(id)", #"{"name":"z"}"#).status == 404)
            let undeleted = try await send("POST", "/\(id)")
            #expect(undeleted.status == 200)
            #expect(try await send("POST", "/\(id)", #"{"name":"z"}"#).status == 400)
            #expect(try await send("GET", "/\(id)").json["name"] == "y")
        }

        @Test("names with two leading underscores are reserved, in rows and parameters") func reserved()
            async throws
        {
            #expect(try await send("POST", "", #"{"name":"x","__mine":1}"#).status == 400)
            #expect(try await send("GET", "?__mine=1").status == 400)
            #expect(try await send("GET", "?$mine=1").status == 400)
        }

        @Test(
            "options of lists are rejected for a single row",
            arguments: ["$orderby=name", "$top=1", "$skip=1", "$inlinecount=allpages"]
        )
        func oneRow(_ option: String) async throws {
            let id = try await inserted().json["id"]?.string ?? ""
            #expect(try await send("GET", "/\(id)?\(option)").status == 400)
            #expect(try await send("GET", "/\(id)?$select=name").json == ["name": "x"])
        }

        @Test("an error response has its status and message, and a missing sign-in is JSON too") func refusals()
            async throws
        {
            for (answer, status) in [(try await send("POST", "", "[]"), 400), (try await send("GET", "/absent"), 404)] {
                #expect(answer.status == status && answer.json["code"] == .int(Int64(status)))
                #expect(answer.json["error"]?.string?.isEmpty == false)
            }
            let nobody = try await Server.here().client.table("v1Signed").read()
            #expect(nobody.status == 401 && nobody["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
            #expect(nobody.json["code"] == 401 && nobody.json["error"] == "Unauthorized", "\(nobody.text)")
            let many = try await send("GET", "?$top=1001")
            #expect(many.status == 400)
            #expect(
                many.json["error"]?.string?.contains("The value of the $top query option cannot exceed 1000.") == true
            )
            let reserved = try await send("GET", "?__mine=1")
            #expect(
                reserved.json["error"]?.string
                    == "Invalid query parameter name '__mine'. Custom query parameter names must not start with $ or __."
            )
            let twice = try await send("POST", "", #"{"id":"v1 twice","name":"x"}"#)
            #expect(twice.status == 201)
            #expect(try await send("POST", "", #"{"id":"v1 twice","name":"y"}"#).status == 409)
        }

        @Test("several versions at once are rejected") func several() async throws {
            let id = try await inserted().json["id"]?.string ?? ""
            let answer = try await send("PATCH", "/\(id)", #"{"name":"y"}"#, [("If-Match", "\"a\", \"b\"")])
            #expect(answer.status == 400, "\(answer.text)")
        }
    }
}
