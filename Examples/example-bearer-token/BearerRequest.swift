import AsyncHTTPClient
import BrokerAPI
import BrokerClient
import FlowModel
import Foundation
import NIOCore
import NIOHTTP1
import OAuth

/// Sends a request with a bearer token: `example-bearer-token http://localhost:3000/tables/todoitem tasks.read`.
///
/// It requests the token before each request, since the broker returns a valid one from its cache at once. After a 401 it
/// requests another token once. It follows no redirect, so the token reaches only the API that it is for.
@main struct BearerRequest {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        guard let address = words.first, words.count > 1 else {
            print("usage: example-bearer-token ADDRESS SCOPE...")
            exit(64)
        }
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let broker = BrokerClient(clientID: "tasks-cli")
        var wanted = AcquireRequest(scopes: Array(words.dropFirst()))
        wanted.prompt = .none
        do {
            var answer = try await get(address, try await broker.acquireToken(wanted), http)
            if answer.status == 401 {
                wanted.forceRefresh = true
                answer = try await get(address, try await broker.acquireToken(wanted), http)
            }
            print("\(answer.status) \(answer.body)")
        } catch {
            print("no answer: \(error)")
        }
        await broker.close()
        try await http.shutdown()
    }

    /// Sends one request with a token.
    static func get(
        _ address: String,
        _ token: AcquiredToken,
        _ http: HTTPClient
    ) async throws -> (status: UInt, body: String) {
        var request = HTTPClientRequest(url: address)
        request.headers.add(name: "Authorization", value: "Bearer \(token.accessToken.reveal())")
        let response = try await http.execute(request, timeout: .seconds(30))
        return (response.status.code, String(buffer: try await response.body.collect(upTo: 1 << 20)))
    }
}
