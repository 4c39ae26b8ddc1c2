import FlowModel
import StoreRefusals

extension Broker {
    static let rows = StoreRefusals(
        of: "the token cache",
        absent: noSuchAccount,
        crowded: Refusal(.limitExceeded, "the token cache is full").with(.limit, "cache")
    )
}
