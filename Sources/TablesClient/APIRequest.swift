import NIOHTTP1
import OAuth

/// One request, whole, so that it can be sent a second time as it was.
struct APIRequest: Sendable {
    let method: HTTPMethod
    let url: String
    /// What only this request has.
    var headers: [(String, String)] = []
    var body: [UInt8]?
    let correlationID: CorrelationID

    /// Every header field, with `token`.
    func fields(_ token: Secret) -> HTTPHeaders {
        var fields = HTTPHeaders(headers)
        fields.add(name: "Authorization", value: "Bearer \(token.reveal())")
        fields.add(name: "Accept", value: "application/json")
        fields.add(name: "ZUMO-API-VERSION", value: "2.0.0")
        fields.add(name: "X-ZUMO-VERSION", value: "ZUMO/2.0 (lang=Swift; os=\(Self.system); version=2.0.0)")
        fields.add(name: "client-request-id", value: correlationID.description)
        if body != nil { fields.add(name: "Content-Type", value: "application/json") }
        return fields
    }

    private static var system: String {
        #if os(Linux)
        "Linux"
        #else
        "Darwin"
        #endif
    }
}
