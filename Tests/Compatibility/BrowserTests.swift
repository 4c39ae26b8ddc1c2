import Foundation
import OAuth
import Testing

extension Compatibility {
    /// Tests of API calls by a page from another origin, in a real browser.
    @Suite struct Browsers {
        /// Opens the page that calls the API, and returns the results of the calls.
        ///
        /// `host` is the name of the page's server in the URL.
        private func calls(from host: String, token: String) async throws -> JSONValue {
            let server = try Server.here()
            let page = try await Browser.page(
                at: "http://\(host):\(server.sitePort)/calls#port=\(server.port)&token=\(token)"
            )
            let parts = page.components(separatedBy: "<pre id=\"results\">")
            let text = try #require(
                parts.count == 2 ? parts[1].components(separatedBy: "</pre>").first : nil,
                "\(page)"
            )
            let plain = text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
            return try #require(try? StrictJSON.parse(Array(plain.utf8)), "\(page)")
        }

        @Test("a page of a listed origin lists, inserts, updates and deletes, and sees Link and ETag") func listed()
            async throws
        {
            let seen = try await calls(from: "127.0.0.1", token: try Server.here().client(as: "web").token ?? "")
            let list = seen["list"]
            #expect(list?["status"] == 200 && list?["type"] == "cors", "\(seen.text.prefix(2000))")
            #expect(list?["link"]?.string?.hasSuffix("rel=next") == true)
            // The browser hides a response field that the server does not expose.
            #expect(list?["server"] == .null)
            #expect(["insert", "update", "stale", "delete"].map { seen[$0]?["status"] } == [201, 200, 412, 200])
            #expect(seen["insert"]?["tag"]?.string?.hasPrefix("\"") == true)
            // The page can also read the body of an error response.
            #expect(seen["stale"]?["text"]?.string?.contains("\"name\":\"page\"") == true)
            #expect(seen["foreignField"] == ["blocked": "TypeError"])
        }

        @Test("a page of a listed origin learns from /.auth/me which user its token belongs to")
        func identity() async throws {
            let seen = try await calls(from: "127.0.0.1", token: try Server.here().client(as: "web").token ?? "")
            for name in ["zumo", "bearer"] {
                #expect(seen[name]?["status"] == 200, "\(seen.text.prefix(2000))")
                #expect(seen[name]?["text"]?.string?.contains("\"user_id\":\"web\"") == true)
            }
            #expect(seen["nobody"]?["status"] == 401)
        }

        @Test("a page of another origin sees no response") func unlisted() async throws {
            // This is the same page at another host name, whose origin is not listed.
            let seen = try await calls(from: "localhost", token: try Server.here().client(as: "web").token ?? "")
            for name in [
                "list", "insert", "nobody", "zumo", "bearer", "foreignField", "cookie", "credentials", "forged",
            ] {
                #expect(seen[name] == ["blocked": "TypeError"], "\(name): \(seen[name]?.text ?? "absent")")
            }
        }

        @Test("a cookie does not authenticate, from a page or by navigation") func cookies() async throws {
            let server = try Server.here()
            let client = try server.client(as: "cookie-holder")
            let token = client.token ?? ""
            let seen = try await calls(from: "127.0.0.1", token: token)
            // Without credentials, the browser sends no cookie. With credentials, the browser hides the response.
            #expect(seen["cookie"]?["status"] == 401, "\(seen.text.prefix(2000))")
            #expect(seen["credentials"] == ["blocked": "TypeError"])
            // The page cannot read the response to the forged request, which inserts no row although the browser sends
            // the cookie with it.
            #expect(seen["forged"] == ["blocked": "TypeError"])
            #expect(try await client.table("authenticated").read().json == [])

            let enter = "http://127.0.0.1:\(server.sitePort)/enter?token=\(token)&to="
            let echo = try await Browser.page(at: enter + "/cookies")
            #expect(echo.contains("AppServiceAuthSession=\(token)") && echo.contains("X-ZUMO-AUTH=\(token)"))
            let me = try await Browser.page(at: enter + "http://127.0.0.1:\(server.port)/.auth/me")
            #expect(me.contains("You must be logged in") && !me.contains("cookie-holder"), "\(me)")
        }
    }
}
