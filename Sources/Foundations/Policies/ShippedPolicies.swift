/// The policies of a daemon without policies of its own: the files of `policies/`, which are part of the program.
///
/// SwiftPM embeds what lies in the target's folder only, so `Shipped` there is a link to `policies/`.
public enum ShippedPolicies {
    /// The files, each with its path and content.
    public static let files: [PolicyCatalogue.File] = [
        file("b2c_1_edit_profile.yaml", PackageResources.b2c_1_edit_profile_yaml),
        file("b2c_1_facebook_sign_in.yaml", PackageResources.b2c_1_facebook_sign_in_yaml),
        file("b2c_1_password_reset.yaml", PackageResources.b2c_1_password_reset_yaml),
        file("b2c_1_sign_in.yaml", PackageResources.b2c_1_sign_in_yaml),
        file("b2c_1_sign_up.yaml", PackageResources.b2c_1_sign_up_yaml),
        file("b2c_1_sign_up_or_in.yaml", PackageResources.b2c_1_sign_up_or_in_yaml),
        file("b2c_1_step_up.yaml", PackageResources.b2c_1_step_up_yaml),
        file("checks.yaml", PackageResources.checks_yaml),
    ]

    private static func file(_ name: String, _ bytes: [UInt8]) -> PolicyCatalogue.File {
        .init(path: "policies/\(name)", text: String(decoding: bytes, as: UTF8.self))
    }
}
