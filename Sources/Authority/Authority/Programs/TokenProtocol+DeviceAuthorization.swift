import AuthorityStore
import FlowModel
import Foundation
import Moments
public import OAuth
import Policies
import Storage
import StoreRefusals

extension TokenProtocol {
    /// The number of times a user code is drawn anew because it is in use.
    private static let mostDraws = 5

    /// Answers the device authorization endpoint (RFC 8628 §3.2).
    ///
    /// - Throws: `OAuthError`, or a `Refusal` of the rules that the socket has as well.
    public func authorizeDevice(_ request: ProgramRequest) async throws -> JSONValue {
        try await Authority.rows.storing {
            let opened = try await authority.open(request, at: .deviceAuthorization)
            // A request for a device code announces the use of that grant (RFC 8628 §3.1).
            let call = try ProgramChecks.registered(opened, for: .deviceCode)
            let scopes = try ProgramChecks.scopes(call)
            let resource = try ProgramChecks.resource(call)
            let resolved = try call.resolve(scopes: scopes, resource: resource)
            let code = OpaqueCode.random(at: call.now)
            let userCode = try await keep(resolved, code, call)
            let page = call.settings.base + Devices.path
            return [
                "device_code": .string(code.reveal()), "user_code": .string(UserCode.shown(userCode)),
                "verification_uri": .string(page),
                "verification_uri_complete": .string("\(page)?user_code=\(UserCode.shown(userCode))"),
                "expires_in": .int(Devices.life.milliseconds / 1000), "interval": .int(Devices.interval),
                "message": .string("To sign in, open \(page) and enter the code \(UserCode.shown(userCode))."),
            ]
        }
    }

    /// Keeps a request under a user code that no other has.
    private func keep(_ resolved: ResolvedRequest, _ code: Secret, _ call: ProgramCall) async throws -> String {
        let row = DeviceCodeRow(
            hash: OpaqueCode.hash(code),
            origin: call.request.origin.key,
            client: call.client.id,
            policy: call.policy.id.description,
            body: try JSONEncoder().encode(resolved),
            interval: Devices.interval,
            expires: Deadline(Devices.life, after: call.now)
        )
        for _ in 0..<Self.mostDraws {
            let userCode = UserCode.random()
            if try await isFree(userCode, for: row, call.share) { return userCode }
        }
        throw OAuthError.serverError(detail: "no user code is free")
    }

    /// Keeps a request under a user code; false if another has it.
    private func isFree(
        _ userCode: String,
        for row: DeviceCodeRow,
        _ share: RequestShare
    ) async throws -> Bool {
        do {
            try await authority.store.deviceCodes.add(row, userCode: userCode, share: share)
            return true
        } catch {
            guard error.code == .conflict else { throw error }
            return false
        }
    }
}
