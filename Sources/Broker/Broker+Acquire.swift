public import FlowModel
import OAuth

extension Broker {
    /// Finds, renews or has somebody prove what a token needs.
    public func acquire(_ request: AcquireRequest, caller: Caller) async throws -> AcquireAnswer {
        try await Acquisition(broker: self, request: request, caller: caller).answer()
    }
}
