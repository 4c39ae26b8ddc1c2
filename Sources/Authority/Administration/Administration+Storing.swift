import FlowModel
import StoreRefusals

extension Administration {
    static let rows = StoreRefusals(
        of: "the store",
        absent: Refusal(.accountNotFound, "there is no such user"),
        crowded: Refusal(.limitExceeded, "too much is under way; try again").retrying(afterMs: 1_000)
    )
}
