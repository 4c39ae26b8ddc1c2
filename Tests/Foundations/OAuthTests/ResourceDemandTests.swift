import OAuth
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ResourceDemandTests {
    @Test(
        "a token meets a demand by its context and its authentication time, and a missing claim meets nothing",
        arguments: [
            (["acr": "2", "auth_time": 1_000], true), (["acr": "1", "auth_time": 1_000], false),
            (["auth_time": 1_000], false), (["acr": "2"], false), (["acr": "2", "auth_time": 699], false),
            (["acr": "3", "auth_time": 700], true), (["acr": "2", "auth_time": 1_006], false),
            (["acr": "2", "auth_time": "1000"], false), (["acr": ["2"], "auth_time": 1_000], false),
        ] as [([String: JSONValue], Bool)]
    )
    func proven(_ claims: [String: JSONValue], _ isProven: Bool) {
        let demand = ResourceDemand(scope: "a", acrValues: ["2", "3"], maxAge: 295)
        #expect(demand.isProven(by: claims, now: 1_000, leeway: 5) == isProven)
    }

    @Test("a scope alone requires no authentication context or age") func bare() {
        let demand: ResourceDemand = "tasks.read"
        #expect(demand == ResourceDemand(scope: "tasks.read") && demand.isProven(by: [:], now: 0, leeway: 0))
    }
}
