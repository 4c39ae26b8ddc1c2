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

/// Parts that the daemon's listeners call.
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

/// Parts that are assembled while the listeners are open already; early requests wait for them.
///
/// Nothing is answered before the stores are open, their keys are proven, and the work that a kill interrupted is finished.
struct PendingParts: Sendable {
    private let task: Task<Parts, any Error>

    /// Begins to assemble the parts.
    init(_ wiring: Wiring, _ keys: KeptVaultKeys, on group: any EventLoopGroup) {
        task = Task {
            let parts = try await wiring.parts(keys, on: group)
            do {
                try await parts.authority.start()
                // Sign-outs that a kill interrupted are finished before anybody is answered.
                try await parts.broker.start()
                keys.takenBack(by: parts.broker)
            } catch let refusal as Refusal {
                throw StartFailure(refusal)
            }
            return parts
        }
    }

    /// The parts, once they are assembled.
    var value: Parts { get async throws { try await task.value } }

    /// Makes a pipeline of the parts once; requests wait for it.
    func pipeline(
        _ pipeline: @escaping @Sendable (Parts) -> HTTPPipeline
    ) -> @Sendable () async throws -> HTTPPipeline {
        let made = Task { pipeline(try await value) }
        return { try await made.value }
    }
}
