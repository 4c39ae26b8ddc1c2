import Authority
import AuthorityStore
import AuthorityWeb
import FlowModel
import Flows
import Foundation
import HTTPTypes
import Moments
import OAuth
import Policies
import TestSupport
import Testing

/// With Fetch Metadata headers, the authority limits the requests that other pages can make a browser send.
@Suite(.timeLimit(.minutes(2)))
struct FetchMetadataTests {
    private static let path = "/local/\(BrowserScene.policy)/oauth2/v2.0/authorize?"

    private func fields(_ site: String?, _ mode: String?, _ destination: String?) throws -> HTTPFields {
        var fields: HTTPFields = [:]
        for (name, value) in [("Site", site), ("Mode", mode), ("Dest", destination)] {
            fields[try #require(HTTPField.Name("Sec-Fetch-\(name)"))] = value
        }
        return fields
    }

    private func authorize(
        _ scene: BrowserScene,
        _ headers: HTTPFields,
        _ changes: [String: String?] = [:]
    ) async throws -> BrowserScene.Answer {
        let query = Form.encoded(BrowserScene.parameters(changes).map { ($0.key, $0.value) })
        return try await scene.send(.get, Self.path + query, headers: headers)
    }

    @Test(
        "an image, script, frame or fetch of another site begins no flow and uses up nothing",
        arguments: [
            ("no-cors", "image"), ("no-cors", "script"), ("cors", "empty"), ("no-cors", "empty"),
            ("navigate", "iframe"), ("navigate", "embed"), ("navigate", "object"), ("same-origin", "empty"),
            ("no-cors", nil),
        ] as [(String, String?)]
    )
    func subresource(_ mode: String, _ destination: String?) async throws {
        let scene = try BrowserScene()
        for _ in 0..<80 {
            let answer = try await authorize(scene, try fields("cross-site", mode, destination))
            #expect(answer.status == 403 && answer.headers[.location] == nil && answer.headers[.setCookie] == nil)
        }
        #expect(try await authorize(scene, [:]).location.hasPrefix("/local/flow/"))
    }

    @Test(
        "a navigation is accepted from anywhere, and so is a browser or a program that does not send the site",
        arguments: [
            ("cross-site", "navigate", "document"), ("same-site", "navigate", "document"),
            ("same-origin", "navigate", "document"), ("none", "navigate", "document"), (nil, nil, nil),
            (nil, "cors", nil),
        ] as [(String?, String?, String?)]
    )
    func navigation(_ site: String?, _ mode: String?, _ destination: String?) async throws {
        let scene = try BrowserScene()
        let headers = try fields(site, mode, destination)
        let answer = try await authorize(scene, headers)
        #expect(answer.status == 303 && answer.location.hasPrefix("/local/flow/"))
        let cookies = try #require(answer.headers[.setCookie]).prefix { $0 != ";" }
        #expect(try await scene.send(.get, answer.location, cookies: String(cookies), headers: headers).status == 200)
    }

    @Test("a client may use a frame that shows nothing: prompt=none") func silent() async throws {
        let headers = try fields("cross-site", "navigate", "iframe")
        let answer = try await authorize(try BrowserScene(), headers, ["prompt": "none"])
        #expect(answer.status == 303 && answer.reply["error"] == "login_required")
    }

    @Test("a link from another site opens no running flow, and the authority's own pages do") func link() async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        let cookies = "flow=\(browser.cookies["flow"] ?? "")"
        scene.clock.advance(by: .seconds(61))
        for site in ["cross-site", "same-site"] {
            let headers = try fields(site, "navigate", "document")
            let refused = try await scene.send(.get, browser.place, cookies: cookies, headers: headers)
            #expect(refused.status == 403 && refused.hidden.isEmpty)
            // The refusal is a page of the authority with a link to the flow.
            #expect(refused.text.contains("href=\"\(browser.place)\""))
        }
        for site in ["same-origin", "none"] {
            let headers = try fields(site, "navigate", "document")
            #expect(try await scene.send(.get, browser.place, cookies: cookies, headers: headers).status == 200)
        }
        let frame = try fields("same-origin", "navigate", "iframe")
        #expect(try await scene.send(.get, browser.place, cookies: cookies, headers: frame).status == 403)
        #expect(try await browser.page().status == 200)
    }

    @Test("the link from a terminal may be opened from any page, at any time") func terminal() async throws {
        let scene = try BrowserScene()
        let caller = Caller(owner: .local(machine: "m", uid: 4321))
        let request = FlowRequest(caller: caller, client: "tasks-cli", policy: try PolicyID(BrowserScene.policy))
        let flow = try await scene.flows.start(request).flow
        let place = try await scene.browsers.terminals.place(of: flow, client: "tasks-cli", by: .link, caller)
        scene.clock.advance(by: .seconds(61))
        var browser = TestBrowser(scene)
        browser.place = String(place.url.dropFirst(scene.base.utf8.count))
        let headers = try fields("cross-site", "navigate", "document")
        let question = try await browser.send(.get, browser.place, headers: headers)
        #expect(question.status == 200)
        #expect(try await browser.send(.post, browser.place, form: question.typing(place.words)).status == 303)
        #expect(try await browser.send(.get, browser.place, headers: headers).text.contains("type=\"password\""))
    }
}
