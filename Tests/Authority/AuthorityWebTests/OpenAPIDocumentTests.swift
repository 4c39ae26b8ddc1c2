import AuthorityWeb
import HTTPServer
import HTTPTypes
import Hummingbird
import OAuth
import Testing

/// The document that describes the authority's routes (OpenAPI 3.1).
@Suite(.timeLimit(.minutes(2)))
struct OpenAPIDocumentTests {
    /// Paths that are not in the document because only operators and monitoring call them.
    private static let unlisted: Set = ["/healthz", "/readyz", "/metrics", AuthorityDescription.path]

    @Test("every address is described with its methods, and no other is", arguments: ["", "/id"])
    func complete(_ prefix: String) async throws {
        let scene = try BrowserScene(base: "http://localhost:8420\(prefix)")
        let router = Router(context: HTTPContext.self)
        scene.routes.addRoutes(to: router)
        // The base path is also not in the document. It responds to users with a "not found" page. Preflight requests
        // are a part of the requests that they precede.
        let base = prefix.isEmpty ? "/" : prefix
        let unlisted = Self.unlisted.union(Self.unlisted.map { prefix + $0 } + [base])
        let served = router.routes.filter { !unlisted.contains("\($0.path)") && $0.method != .options }
            .map { "\($0.method.rawValue.lowercased()) \($0.path)" }
        let document = try await Self.document(scene, prefix)
        let described = try #require(document["paths"]?.object).flatMap { path, item in
            (item.object ?? [:]).keys.filter { $0 != "parameters" }.map { "\($0) \(path)" }
        }
        #expect(Set(described) == Set(served))
        #expect(document["servers"] == [["url": "http://localhost:8420"]])
    }

    @Test("the account page is described with the buttons that its form posts") func account() async throws {
        let document = try await Self.document(BrowserScene())
        let post = try #require(document["paths"]?["/{tenant}/account"]?["post"])
        #expect(post["summary"]?.string?.contains("user's account page") == true)
        let text = String(decoding: post.bytes, as: UTF8.self)
        for field in ["_endSession", "_endDevice", "_endConsent", "_signOut"] { #expect(text.contains(field)) }
    }

    @Test("a path's parameters are described, with the values of tenant and policies")
    func parameters() async throws {
        let paths = try #require(try await Self.document(BrowserScene())["paths"]?.object)
        for (path, item) in paths {
            let parameters = item["parameters"]?.array ?? []
            let inPath = parameters.filter { $0["in"]?.string == "path" }.compactMap { $0["name"]?.string }
            #expect(Set(inPath) == Set(path.matches(of: /\{(\w+)\}/).map { String($0.1) }), "\(path)")
            for parameter in parameters {
                switch parameter["name"]?.string {
                case "tenant": #expect(parameter["schema"]?["enum"] == ["local"])
                case "policy", "p":
                    #expect(parameter["schema"]?["enum"]?.strings?.contains(BrowserScene.policy) == true)
                default: break
                }
            }
        }
        let byQuery = paths["/{tenant}/oauth2/v2.0/token"]?["parameters"]?.array?.compactMap { $0["name"]?.string }
        #expect(byQuery == ["tenant", "p"])
    }

    @Test("the token endpoint's form lists the grants, and any other is rejected")
    func grants() async throws {
        let scene = try BrowserScene()
        let path = "/{tenant}/{policy}/oauth2/v2.0/token"
        let operation = try await Self.document(scene)["paths"]?[path]?["post"]
        let schema = operation?["requestBody"]?["content"]?["application/x-www-form-urlencoded"]?["schema"]
        let grants = try #require(schema?["properties"]?["grant_type"]?["enum"]?.strings)
        let address = "/local/\(BrowserScene.policy)/oauth2/v2.0/token"
        #expect(grants.contains("authorization_code") && !grants.contains("password"), "\(grants)")
        for grant in grants + ["password"] {
            let answer = try await scene.send(.post, address, form: ["grant_type": grant, "client_id": "tasks-cli"])
            #expect(answer.text.contains("unsupported_grant_type") == !grants.contains(grant), "\(grant)")
        }
    }

    private static func document(_ scene: BrowserScene, _ prefix: String = "") async throws -> JSONValue {
        let answer = try await scene.send(.get, prefix + "/openapi.json")
        #expect(answer.status == 200 && answer.headers[.contentType] == "application/json")
        return try StrictJSON.parse(Array(answer.text.utf8))
    }
}
