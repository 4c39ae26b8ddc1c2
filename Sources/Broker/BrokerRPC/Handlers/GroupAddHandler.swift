import Administration
import BrokerAPI

extension GroupAdd: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        One(try await caller.add(user, toGroup: group))
    }
}
