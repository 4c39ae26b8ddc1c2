import Administration
import BrokerAPI

extension UserInvite: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        One(try await caller.invite(email, days: days))
    }
}
