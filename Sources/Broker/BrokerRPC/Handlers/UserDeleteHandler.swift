import Administration
import BrokerAPI

extension UserDelete: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await caller.delete(user)
        return Answer(removed: user)
    }
}
