/// The session's settings for SUPER.
package struct SuperSettings: Sendable, Hashable {
    /// `navigate_super_null_on_error`
    package var navigatesToNull = true
    /// `cast_super_null_on_error`
    package var castsToNull = true
    /// `parse_super_null_on_error`
    package var parsesToNull = false
    /// `enable_case_sensitive_super_attribute`
    package var keepsAttributeCase = false
    /// `json_parse_dedup_attributes`
    package var removesDuplicates = false
    package init() {}
}
