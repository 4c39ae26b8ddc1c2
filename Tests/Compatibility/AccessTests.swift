import LocalIssuer
import OAuth
import Testing
import Tokens

extension Compatibility {
    /// Tests of access levels and authentication.
    @Suite struct Access {
        /// Inserts, updates, reads and deletes a row, and returns the status of each response.
        private func everything(
            _ client: JavaScriptClient,
            _ name: String,
            _ fields: [(String, String)] = []
        ) async throws -> [Int] {
            let base = "/tables/\(name)"
            let inserted = try await client.send("POST", base, body: Array(#"{"name":"hello"}"#.utf8), fields: fields)
            let id = inserted.json["id"]?.string ?? "1"
            let body = Array(#"{"name":"world"}"#.utf8)
            let updated = try await client.send("PATCH", "\(base)/\(id)", body: body, fields: fields)
            let read = try await client.send("GET", "\(base)?$filter=(id eq '\(id)')", fields: fields)
            if inserted.status == 201 { #expect(read.rows.count == 1) }
            let deleted = try await client.send("DELETE", "\(base)/\(id)", fields: fields)
            return [inserted.status, updated.status, read.status, deleted.status]
        }

        @Test("anonymous access allows all operations, signed in or not") func anonymous() async throws {
            let server = try Server.here()
            #expect(try await everything(server.client, "public") == [201, 200, 200, 200])
            #expect(try await everything(try server.client(as: "alice"), "public") == [201, 200, 200, 200])
        }

        @Test("authenticated access rejects every client that is not signed in") func unauthenticated()
            async throws
        {
            let server = try Server.here()
            #expect(try await everything(server.client, "authenticated") == [401, 401, 401, 401])
            let answer = try await server.client.table("authenticated").read()
            #expect(answer["WWW-Authenticate"]?.hasPrefix("Bearer") == true && answer.json["code"] == 401)
        }

        @Test("a signed-in user has access, and the row names its owner") func authenticated() async throws {
            let client = try Server.here().client(as: "alice")
            #expect(try await everything(client, "authenticated") == [201, 200, 200, 200])
            let row = try await client.table("authenticated").insert(["name": "mine"]).row
            let me = try await client.send("GET", "/.auth/me")
            #expect(me.status == 200 && row["userId"] == "alice")
            #expect(me.json.array?.first?["user_id"] != nil, "\(me.text)")
        }

        @Test("rows of other users look like missing ones") func others() async throws {
            let server = try Server.here()
            let hers = try await server.client(as: "alice").table("authenticated").insert(["name": "hers"]).row
            let bob = try server.client(as: "bob").table("authenticated")
            let absent = try await bob.lookUp("absent")
            let found = try await bob.lookUp(hers["id"])
            #expect(found.status == 404 && found.json["error"] == absent.json["error"])
            #expect(try await bob.update(["id": hers["id"] ?? nil, "name": "his"]).status == 404)
            #expect(try await bob.delete(["id": hers["id"] ?? nil]).status == 404)
            #expect(try await bob.read("$filter=(name eq 'hers')").json == [])
            // Bob can insert a row of his own with the same id.
            #expect(try await bob.insert(["id": hers["id"] ?? nil, "name": "his"]).status == 201)
        }

        @Test("X-ZUMO-AUTH and Authorization: Bearer are equivalent") func bearer() async throws {
            let server = try Server.here()
            let token = try server.client(as: "alice").token ?? ""
            let answer = try await server.client.send(
                "GET",
                "/tables/authenticated",
                fields: [("Authorization", "Bearer \(token)")]
            )
            #expect(answer.status == 200)
        }

        @Test("an invalid token is 401 on every route, even where none is required") func badTokens() async throws {
            let server = try Server.here()
            let now = 1_700_000_000 as Int64
            let good = try server.client(as: "alice").token ?? ""
            let parts = good.split(separator: ".").map(String.init)
            let bad = [
                "abc", "a.b.c", good + "x", "\(parts[0]).\(parts[1]).", "eyJhbGciOiJub25lIn0.\(parts[1]).",
                try server.issuer.token(oid: "alice", now: now),
                try server.client(as: "alice", changes: ["aud": "other"]).token ?? "",
                try server.client(as: "alice", changes: ["iss": "http://evil.example/local/b2c_1_sign_in/v2.0"]).token
                    ?? "",
            ]
            for token in bad {
                let client = JavaScriptClient(port: server.port, token: token)
                for table in ["public", "authenticated"] {
                    let answer = try await client.table(table).read()
                    #expect(
                        answer.status == 401 && answer.json["error"]?.string?.isEmpty == false,
                        "\(table): \(answer.status)"
                    )
                }
            }
        }

        @Test("a token without the scope cannot write, and the response names the missing scope")
        func scopes() async throws {
            let client = try Server.here().client(as: "alice", scopes: "tasks.read")
            #expect(try await client.table("authenticated").read().status == 200)
            let answer = try await client.table("authenticated").insert(["name": "x"])
            #expect(answer.status == 403 && answer["WWW-Authenticate"]?.contains("tasks.write") == true)
        }

        @Test("each operation has its own access level, and a disabled one is 405") func verbs() async throws {
            let server = try Server.here()
            let table = server.client.table("readonly")
            #expect(try await table.read().status == 200)
            #expect(try await table.insert(["name": "x"]).status == 401)
            let row = try await server.client(as: "alice").table("readonly").insert(["name": "x"])
            #expect(row.status == 201)
            let mine = try server.client(as: "alice").table("readonly")
            #expect(try await mine.update(["id": row.json["id"] ?? nil, "name": "y"]).status == 405)
            #expect(try await mine.delete(["id": row.json["id"] ?? nil]).status == 405)
        }

        @Test("the application key gives access to its level, and a wrong key does not")
        func applicationKey() async throws {
            let server = try Server.here()
            let right = [("X-ZUMO-APPLICATION", Server.applicationKey)]
            #expect(try await everything(server.client, "application", right) == [201, 200, 200, 200])
            #expect(try await everything(server.client, "application") == [401, 401, 401, 401])
            let wrong = [("X-ZUMO-APPLICATION", "another-key-of-nobody")]
            #expect(try await everything(server.client, "application", wrong) == [401, 401, 401, 401])
            #expect(try await everything(server.client, "authenticated", right) == [401, 401, 401, 401])
        }

        @Test("the master key gives access to the admin level, and no other key does") func masterKey() async throws {
            let server = try Server.here()
            let right = [("X-ZUMO-MASTER", Server.masterKey)]
            #expect(try await everything(server.client, "admin", right) == [201, 200, 200, 200])
            let key = [("X-ZUMO-APPLICATION", Server.applicationKey)]
            #expect(try await everything(server.client, "admin", key) == [401, 401, 401, 401])
            let person = try await everything(try server.client(as: "alice"), "admin")
            #expect(Set(person).isSubset(of: [401, 403]))
        }

        @Test("a client that has signed out sends no token and is not authenticated") func signedOut() async throws {
            var client = try Server.here().client(as: "alice")
            #expect(try await client.table("authenticated").read().status == 200)
            client.token = nil
            #expect(try await client.table("authenticated").read().status == 401)
        }

        @Test("a cookie does not authenticate") func cookies() async throws {
            let server = try Server.here()
            let token = try server.client(as: "alice").token ?? ""
            for cookie in ["AppServiceAuthSession=\(token)", "X-ZUMO-AUTH=\(token)", "Authorization=Bearer \(token)"] {
                for path in ["/tables/authenticated", "/.auth/me"] {
                    let answer = try await server.client.send("GET", path, fields: [("Cookie", cookie)])
                    #expect(answer.status == 401, "\(path)")
                    #expect(answer["Set-Cookie"] == nil)
                }
            }
        }

        @Test("token renewal fails with the response of a server that never renews") func refresh()
            async throws
        {
            let answer = try await Server.here().client(as: "alice").send("GET", "/.auth/refresh")
            #expect(answer.status == 400 && answer.json["error"]?.string?.contains("renewal") == true, "\(answer.text)")
        }

        @Test("the user's identity is a list with id and claims") func identities() async throws {
            let server = try Server.here()
            let answer = try await server.client(as: "alice").send("GET", "/.auth/me")
            let me = try #require(answer.json.array?.first, "\(answer.text)")
            #expect(me["provider_name"]?.string != nil && me["user_id"]?.string != nil)
            let claims = me["user_claims"]?.array ?? []
            #expect(claims.contains { $0["typ"]?.string != nil && $0["val"] == "alice" }, "\(me.text)")
            #expect(try await server.client.send("GET", "/.auth/me").status == 401)
        }
    }
}
