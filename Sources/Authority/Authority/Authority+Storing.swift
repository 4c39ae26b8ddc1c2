import FlowModel
import StoreRefusals

extension Authority {
    static let rows = StoreRefusals(
        of: "the store",
        absent: Refusal(.interactionRequired, "this sign-in has ended; sign in again"),
        crowded: Refusal(.limitExceeded, "too much is under way; try again").retrying(afterMs: 1_000)
    )
}
