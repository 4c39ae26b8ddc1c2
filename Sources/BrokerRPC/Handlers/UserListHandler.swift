import Broker
import BrokerAPI
import OAuth

extension UserList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let users = try await broker.users(
            after: after,
            limit: Int(limit ?? 100),
            caller: call.caller
        )
        return Many(users.map { UserSummary($0, isWhole: false) })
    }
}

extension UserSummary {
    /// - Parameters:
    ///   - answer: The user.
    ///   - isWhole: Whether the user is shown with everything that is known.
    init(_ answer: UserAnswer, isWhole: Bool) {
        self.init(
            user: answer.id,
            signInNames: answer.signInNames,
            displayName: answer.displayName,
            enabled: answer.isEnabled,
            createdAt: answer.createdAt,
            attributes: isWhole ? .object(answer.attributes) : JSONValue?.none,
            sessions: isWhole ? Int64(answer.sessions) : nil,
            families: isWhole ? Int64(answer.families) : nil,
            groups: isWhole ? answer.groups : nil
        )
    }
}
