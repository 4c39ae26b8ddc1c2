import Administration
import BrokerAPI

extension GroupRemove: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await caller.remove(user, fromGroup: group)
        return Answer(removed: user)
    }
}
