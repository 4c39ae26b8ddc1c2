import Administration
import BrokerAPI

extension KeysList: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        Many(try await caller.keys())
    }
}
