import Administration
import Authority
import AuthorityWeb
import Broker
import CustomIdentity
import Deliveries
import FlowModel
import Flows
import HTTPServer
import Moments
import NIOCore
import OpenIDClient

struct Parts: Sendable {
    let clock: MomentClock
    let stores: Stores
    let mails: MailDispatcher
    let openID: OpenIDClient
    let outside: OutsideCalls
    let logouts: LogoutDispatcher
    let authority: Authority
    let flows: FlowDirectory
    let broker: Broker
    let browsers: BrowserFlows
    let administration: Administration
    let measures: Measures
}

/// The daemon's parts, which are created in the background while requests wait.
///
/// The parts are ready when the stores are open, the keys are verified and interrupted work is finished.
struct PendingParts: Sendable {
    private let task: Task<Parts, any Error>

    init(_ wiring: Wiring, _ keys: KeptVaultKeys, on group: any EventLoopGroup) {
        task = Task {
            let parts = try await wiring.parts(keys, on: group)
            do {
                try await parts.authority.start()
                // Finishes interrupted sign-outs before the first response.
                try await parts.broker.start()
                keys.takenBack(by: parts.broker)
            } catch let refusal as Refusal {
                throw StartFailure(refusal)
            }
            return parts
        }
    }

    var value: Parts { get async throws { try await task.value } }

    func pipeline(
        _ pipeline: @escaping @Sendable (Parts) -> HTTPPipeline
    ) -> @Sendable () async throws -> HTTPPipeline {
        let made = Task { pipeline(try await value) }
        return { try await made.value }
    }
}
