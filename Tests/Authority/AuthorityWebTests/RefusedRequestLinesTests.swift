import Authority
import FlowModel
import HTTPTypes
import OAuth
import Policies
import Systemd
import TestSupport
import Testing

@testable import AuthorityWeb

/// Tests of the limit on log lines about rejected requests.
@Suite(.timeLimit(.minutes(1)))
struct RefusedRequestLinesTests {
    private func count(_ words: String, _ scene: BrowserScene) -> Int {
        scene.log.all.filter { $0.contains(words) }.count
    }

    @Test("rejected token requests of one address take at most 21 log lines in a minute") func programs() async throws {
        let scene = try BrowserScene()
        try await scene.authority.start()
        func ask(from address: UInt8) async throws {
            let form = ["grant_type": "refresh_token", "client_id": "tasks-cli", "refresh_token": "planted"]
            let path = "/local/\(BrowserScene.policy)/oauth2/v2.0/token"
            #expect(try await scene.send(.post, path, form: form, from: address).status == 400)
        }
        for _ in 0..<50 { try await ask(from: 7) }
        #expect(count("request refused correlationId=", scene) == RefusalLog.linesPerOrigin)
        #expect(count("further refusals in this minute are omitted origin=198.51.100.7", scene) == 1)
        try await ask(from: 8)
        #expect(count("request refused correlationId=", scene) == RefusalLog.linesPerOrigin + 1)
    }

    @Test("rejected authorization requests of one address take at most 21 log lines in a minute")
    func browsers() async throws {
        let scene = try BrowserScene()
        try await scene.authority.start()
        let request = try await scene.authority.requests.request(
            Form(BrowserScene.parameters()),
            policy: try PolicyID(BrowserScene.policy)
        )
        let browser = Browser(
            cookies: [],
            forms: [],
            session: nil,
            device: nil,
            origin: .address("192.0.2.1"),
            correlationID: .random()
        )
        for _ in 0..<50 { _ = scene.browsers.refusal(.serverError(detail: "planted"), request.reply, browser) }
        let line = "authorization refused correlationId=\(browser.correlationID) detail=planted"
        #expect(count(line, scene) == RefusalLog.linesPerOrigin)
        #expect(count("further refusals in this minute are omitted origin=192.0.2.1", scene) == 1)
    }
}
