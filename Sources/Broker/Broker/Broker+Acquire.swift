public import FlowModel
import OAuth

extension Broker {
    /// Finds a token, renews one, or starts the flow that a person must complete first.
    public func acquire(_ request: AcquireRequest, caller: Caller) async throws -> AcquireAnswer {
        try await Acquisition(broker: self, request: request, caller: caller).answer()
    }
}
