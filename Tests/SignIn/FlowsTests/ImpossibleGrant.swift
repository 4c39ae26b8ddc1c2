import AuthorityStore
import FlowModel

@testable import Flows

extension Conclusion {
    /// Returns a conclusion with a grant that cannot be stored, because the grant's request does not exist.
    static func impossible(
        for user: UserID,
        at owner: Owner,
        handingOver handOvers: [SessionHandOver],
        _ value: Value
    ) -> Conclusion {
        let grant = Issue(
            source: .authentication(requestID: "none"),
            owner: owner,
            user: user,
            expectedEpoch: 0,
            product: nil
        )
        return Conclusion(granting: grant, handingOver: handOvers, value)
    }
}
