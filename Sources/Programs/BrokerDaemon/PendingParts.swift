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

/// The parts of the daemon that handle requests from its listeners.
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

/// The daemon's parts while they are being created.
///
/// The listeners are already open, and early requests wait for the parts.
///
/// The daemon responds only after the stores are open, their keys are verified, and interrupted work is finished.
struct PendingParts: Sendable {
    private let task: Task<Parts, any Error>

    /// Starts creating the parts.
    init(_ wiring: Wiring, _ keys: KeptVaultKeys, on group: any EventLoopGroup) {
        task = Task {
            let parts = try await wiring.parts(keys, on: group)
            do {
                try await parts.authority.start()
                // Interrupted sign-outs are finished before the first response.
                try await parts.broker.start()
                keys.takenBack(by: parts.broker)
            } catch let refusal as Refusal {
                throw StartFailure(refusal)
            }
            return parts
        }
    }

    /// The parts, as soon as they are created.
    var value: Parts { get async throws { try await task.value } }

    /// Returns a pipeline that is created from the parts when they are available.
    ///
    /// Requests that arrive earlier wait for the pipeline.
    func pipeline(
        _ pipeline: @escaping @Sendable (Parts) -> HTTPPipeline
    ) -> @Sendable () async throws -> HTTPPipeline {
        let made = Task { pipeline(try await value) }
        return { try await made.value }
    }
}
