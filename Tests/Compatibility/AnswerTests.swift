import OAuth
import Testing

extension Compatibility {
    /// Tests of the form of responses from tables and from other routes.
    @Suite struct Answers {
        @Test("rows and lists are JSON that caches do not store") func fields() async throws {
            let table = try Server.here().client.table("movies")
            for answer in [try await table.read("$top=1"), try await table.lookUp("Movie 001")] {
                #expect(answer["Content-Type"]?.lowercased().hasPrefix("application/json") == true)
                #expect(answer["Cache-Control"]?.contains("no-") == true, "\(answer["Cache-Control"] ?? "none")")
            }
        }

        @Test("an insert is 201, and an update and a deletion are 200 with the row") func statuses() async throws {
            let table = try Server.here().client.table("roundTripTable")
            let inserted = try await table.insert(["name": "x", "number": 1])
            let id = inserted.json["id"] ?? nil
            #expect(inserted.status == 201)
            // The update sends only the changed column, but its response contains the complete row.
            let updated = try await table.update(["id": id, "number": 2])
            #expect(updated.status == 200 && updated.json["name"] == "x" && updated.json["number"] == 2)
            let deleted = try await table.delete(["id": id])
            #expect(deleted.status == 200 && deleted.json["id"] == id)
        }

        @Test("an update may name its row only in the body") func bodyID() async throws {
            let client = try Server.here().client
            let id = try await client.table("roundTripTable").insert(["name": "x"]).row["id"] ?? nil
            let body = JSONValue.object(["id": id, "name": "y"]).bytes
            let answer = try await client.send("PATCH", "/tables/roundTripTable", body: body)
            #expect(answer.status == 200 && answer.json["name"] == "y", "\(answer.text)")
        }

        @Test("rows may be deleted by a filter") func deleteByFilter() async throws {
            let client = try Server.here().client
            for number in 1...3 {
                _ = try await client.table("roundTripTable").insert([
                    "name": "by filter", "number": .int(Int64(number)),
                ])
            }
            let answer = try await client.send(
                "DELETE",
                "/tables/roundTripTable?$filter=name eq 'by filter' and number le 2"
            )
            #expect(answer.status == 200, "\(answer.text)")
            let left = try await client.table("roundTripTable").read("$filter=name eq 'by filter'").rows
            #expect(left.map { $0["number"] } == [3])
        }

        @Test("an error response has a message and repeats its status") func refusals() async throws {
            let client = try Server.here().client
            let answers = [
                try await client.table("roundTripTable").insert(text: "{"),
                try await client.table("roundTripTable").insert(text: "[]"),
                try await client.table("roundTripTable").insert(text: "\"text\""),
                try await client.table("roundTripTable").insert(text: ""),
                try await client.table("roundTripTable").lookUp("absent"),
                try await client.table("authenticated").read(),
                try await client.table("movies").read("$filter=(", raw: true),
                try await client.table("absent").read(),
            ]
            #expect(answers.map(\.status) == [400, 400, 400, 400, 404, 401, 400, 404])
            for answer in answers {
                #expect(answer.json["code"] == .int(Int64(answer.status)), "\(answer.text)")
                #expect(
                    answer.json["error"]?.string?.isEmpty == false && answer["Content-Type"]?.contains("json") == true
                )
            }
        }

        @Test("a violated rule of a column names the column and has its message") func rules() async throws {
            let table = try Server.here().client.table("ruled")
            for row in [["share": 1], ["code": "x"], ["code": "longer"]] as [JSONValue] {
                let answer = try await table.insert(row)
                #expect(answer.status == 400 && answer.json["column"] == "code", "\(answer.text)")
                #expect(answer.json["error"] == "A code has 2 to 5 letters.")
            }
            #expect(try await table.insert(["code": "abc", "share": 2]).json["column"] == "share")
            #expect(try await table.insert(["code": "abc", "made": "2020-01-01T00:00:00.000Z"]).status == 400)
            let good = try await table.insert(["code": "abc", "share": 0.5])
            #expect(good.status == 201 && good.json["made"]?.string?.hasSuffix("Z") == true)
        }

        @Test("supported versions of the protocol are accepted", arguments: ["2.0.0", "2.0.1", "3.0.0"])
        func spoken(_ version: String) async throws {
            let client = try Server.here().client
            #expect(
                try await client.send("GET", "/tables/movies?$top=1", fields: [("ZUMO-API-VERSION", version)]).status
                    == 200
            )
            for name in ["ZUMO-API-VERSION", "zumo-api-version"] {
                let answer = try await Wire.exchange(
                    port: client.port,
                    "GET",
                    "/tables/movies?$top=1&\(name)=\(version)",
                    [("Host", "127.0.0.1:\(client.port)")]
                )
                #expect(answer.status == 200, "\(answer.text)")
            }
        }

        @Test(
            "unsupported versions of the protocol are rejected",
            arguments: ["1.0.0", "2", "2.1.0", "4.0.0", "x", "2.0.0.0"]
        )
        func unspoken(_ version: String) async throws {
            let client = try Server.here().client
            let answer = try await client.send("GET", "/tables/movies", fields: [("ZUMO-API-VERSION", version)])
            #expect(answer.status == 400 && answer.json["error"]?.string?.contains("ZUMO-API-VERSION") == true)
            let option = try await Wire.exchange(
                port: client.port,
                "GET",
                "/tables/movies?zumo-api-version=\(version)",
                [("Host", "127.0.0.1:\(client.port)")]
            )
            #expect(option.status == 400)
        }

        @Test("a client without a version uses 2.0.0") func unsaid() async throws {
            let port = try Server.here().port
            let answer = try await Wire.exchange(
                port: port,
                "GET",
                "/tables/movies?$top=1",
                [("Host", "127.0.0.1:\(port)")]
            )
            #expect(answer.status == 200 && answer.json.array?.count == 1)
        }

        @Test("push registration is reported as unsupported") func push() async throws {
            let client = try Server.here().client
            for method in ["PUT", "DELETE"] {
                let answer = try await client.send(
                    method,
                    "/push/installations/4ae1a2bb",
                    body: method == "PUT" ? Array("{}".utf8) : nil
                )
                #expect(answer.status == 501 && answer.json["error"]?.string?.isEmpty == false, "\(answer.text)")
            }
        }
    }

    /// Tests of CORS preflight requests.
    @Suite struct CrossOrigin {
        private func preflight(_ origin: String, _ method: String) async throws -> Answer {
            let port = try Server.here().port
            let names =
                "content-type,if-match,x-zumo-auth,x-zumo-features,x-zumo-installation-id,x-zumo-version,zumo-api-version"
            return try await Wire.exchange(
                port: port,
                "OPTIONS",
                "/tables/authenticated/x",
                [
                    ("Host", "127.0.0.1:\(port)"), ("Origin", origin), ("Access-Control-Request-Method", method),
                    ("Access-Control-Request-Headers", names),
                ]
            )
        }

        @Test(
            "a page of a listed origin may send every method with every field of the client",
            arguments: ["GET", "POST", "PATCH", "DELETE"]
        )
        func listed(_ method: String) async throws {
            let answer = try await preflight(Server.origin, method)
            #expect(answer.status == 200 || answer.status == 204)
            #expect(answer["Access-Control-Allow-Origin"] == Server.origin)
            #expect(answer["Access-Control-Allow-Methods"]?.contains(method) == true)
            let allowed = (answer["Access-Control-Allow-Headers"] ?? "").lowercased()
            for name in [
                "content-type", "if-match", "x-zumo-auth", "x-zumo-features", "x-zumo-installation-id",
                "x-zumo-version",
                "zumo-api-version",
            ] { #expect(allowed.contains(name), "\(name)") }
            #expect(answer["Access-Control-Allow-Credentials"] == nil)
        }

        @Test("a page of a listed origin sees Link and ETag") func exposed() async throws {
            let answer = try await Server.here().client.table("movies").read()
            #expect(answer["Access-Control-Allow-Origin"] == Server.origin)
            let names = (answer["Access-Control-Expose-Headers"] ?? "").lowercased()
            #expect(names.contains("link") && names.contains("etag"))
            #expect(answer["Vary"]?.lowercased().contains("origin") == true)
        }

        @Test("a page of a listed origin reads error responses too") func refusals() async throws {
            let answer = try await Server.here().client.table("authenticated").read()
            #expect(answer.status == 401 && answer["Access-Control-Allow-Origin"] == Server.origin)
            let gone = try await Server.here().client.table("movies").lookUp("absent")
            #expect(gone.status == 404 && gone["Access-Control-Allow-Origin"] == Server.origin)
        }

        @Test(
            "a page of another origin has no access",
            arguments: [
                "https://evil.example", "http://app.example:8000", "https://app.example",
                "https://app.example:8000.evil.example", "null",
            ]
        )
        func unlisted(_ origin: String) async throws {
            #expect(try await preflight(origin, "GET")["Access-Control-Allow-Origin"] == nil)
            let client = try Server.here().client
            let answer = try await client.send("GET", "/tables/movies?$top=1", fields: [("Origin", origin)])
            #expect(answer["Access-Control-Allow-Origin"] == nil)
        }
    }
}
